package mutants

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
)

// site is a node that a rule applies to, with the texts that make the fault switchable. %d in them
// is the number of the switch.
type site struct {
	rule          rule
	node          ast.Node
	before, after string
	inner         []change // within the node
}

// change replaces a part of the source.
type change struct {
	from, to token.Pos
	text     string
}

// sites calls add with the places in a file where a rule applies.
func (p *checked) sites(f *ast.File, add func(function string, s site)) {
	for _, decl := range f.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil || fn.Name.Name == "String" || fn.Name.Name == "Error" {
			continue
		}
		unread := p.unread(fn.Body)
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if unread[n] {
				return false
			}
			for _, s := range p.at(n) {
				add(fn.Name.Name, s)
			}
			_, messages := n.(*ast.CallExpr)
			return !messages || !p.isMessage(n.(*ast.CallExpr))
		})
	}
}

// unread returns the values that are returned beside an error that is not nil: callers read the
// error first, and no contract says what the values are.
func (p *checked) unread(body ast.Node) map[ast.Node]bool {
	found := map[ast.Node]bool{}
	mark := func(n ast.Node, failed func(text string) bool) {
		r, ok := n.(*ast.ReturnStmt)
		if !ok || len(r.Results) < 2 {
			return
		}
		last := len(r.Results) - 1
		if isError(p.info.TypeOf(r.Results[last])) && failed(types.ExprString(r.Results[last])) {
			for _, e := range r.Results[:last] {
				found[e] = true
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if n, ok := n.(*ast.IfStmt); ok {
			if cond, ok := n.Cond.(*ast.BinaryExpr); ok && cond.Op == token.NEQ && types.ExprString(cond.Y) == "nil" {
				name := regexp.MustCompile(`\b` + regexp.QuoteMeta(types.ExprString(cond.X)) + `\b`)
				for _, statement := range n.Body.List {
					mark(statement, name.MatchString)
				}
			}
		}
		mark(n, alwaysFails.MatchString)
		return true
	})
	return found
}

// alwaysFails is an expression that is never a nil error: a variable of a package, or a new error.
var alwaysFails = regexp.MustCompile(`^(\w+\.)?Err[A-Z]\w*$|^err[A-Z]\w*$|^fmt\.Errorf\(|^errors\.New\(`)

func isError(t types.Type) bool {
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

// at returns what the rules make of one node.
func (p *checked) at(n ast.Node) (all []site) {
	switch n := n.(type) {
	case *ast.IfStmt:
		all = append(all, p.negated(n.Cond)...)
	case *ast.ForStmt:
		all = append(all, p.negated(n.Cond)...)
	case *ast.SwitchStmt:
		if n.Tag == nil {
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					all = append(all, p.negated(e)...)
				}
			}
		}
	case *ast.BlockStmt:
		all = dropped(n.List)
	case *ast.CaseClause:
		all = dropped(n.Body)
	case *ast.BinaryExpr:
		all = p.binary(n)
	case *ast.CallExpr:
		all = p.swapped(n)
	case *ast.Ident:
		if tv := p.info.Types[n]; tv.Value != nil && (n.Name == "true" || n.Name == "false") {
			all = append(all, site{rule: flip, node: n, before: "mutantswitch.Not(%d, ", after: ")"})
		}
	}
	return all
}

// negated returns the fault of a condition that is not a constant.
func (p *checked) negated(e ast.Expr) []site {
	if e == nil || p.info.Types[e].Value != nil {
		return nil
	}
	return []site{{rule: negate, node: e, before: "mutantswitch.Not(%d, ", after: ")"}}
}

// dropped returns the faults of statements without which the code still compiles.
func dropped(list []ast.Stmt) (all []site) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			call, ok := s.X.(*ast.CallExpr)
			if id, isName := ast.Unparen(call.Fun).(*ast.Ident); !ok || isName && id.Name == "panic" {
				continue
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE || allBlank(s.Lhs) {
				continue
			}
		case *ast.IncDecStmt, *ast.SendStmt:
		case *ast.BranchStmt:
			if s.Tok != token.CONTINUE {
				continue
			}
		default:
			continue
		}
		all = append(all, site{rule: drop, node: s, before: "if mutantswitch.Keep(%d) { ", after: " }"})
	}
	return all
}

func allBlank(list []ast.Expr) bool {
	return !slices.ContainsFunc(list, func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return !ok || id.Name != "_"
	})
}

// calls are the functions of the switch that stand for an operator.
var calls = map[token.Token]string{
	token.LSS: "Less", token.LEQ: "AtMost", token.GTR: "Greater", token.GEQ: "AtLeast", token.ADD: "Plus",
	token.SUB: "Minus",
}

// binary returns the faults of an operator: && and || have two conditions.
func (p *checked) binary(n *ast.BinaryExpr) []site {
	if p.info.Types[n].Value != nil {
		return nil
	}
	if n.Op == token.LAND || n.Op == token.LOR {
		return append(p.negated(n.X), p.negated(n.Y)...)
	}
	call, r := calls[n.Op], bound
	if n.Op == token.ADD || n.Op == token.SUB {
		r = operator
	}
	basic, ok := p.info.TypeOf(n.X).Underlying().(*types.Basic)
	if call == "" || !ok ||
		basic.Info()&(types.IsInteger|types.IsFloat) == 0 && (r == operator || basic.Info()&types.IsString == 0) {
		return nil
	}
	operatorEnd := n.OpPos + token.Pos(len(n.Op.String()))
	return []site{{rule: r, node: n, before: "mutantswitch." + call + "(%d, ", after: ")",
		inner: []change{{from: n.OpPos, to: operatorEnd, text: ","}}}}
}

// swapped returns the faults of a call that has different neighbouring arguments of the same type.
func (p *checked) swapped(n *ast.CallExpr) (all []site) {
	if p.info.Types[n.Fun].IsType() || p.isMessage(n) || n.Ellipsis.IsValid() || isSymmetric(n) {
		return nil
	}
	for i := 1; i < len(n.Args); i++ {
		a, b := n.Args[i-1], n.Args[i]
		x, y := p.info.Types[a], p.info.Types[b]
		if x.Value != nil || y.Value != nil || x.IsType() || x.Type == nil || !types.Identical(x.Type, y.Type) ||
			!isPure(a) || !isPure(b) || types.ExprString(a) == types.ExprString(b) {
			continue
		}
		all = append(all, site{rule: swap, node: n, inner: []change{
			{from: a.Pos(), to: a.End(), text: "\x00" + "mutantswitch.Pick(%d, \x01, \x02)"},
			{from: b.Pos(), to: b.End(), text: "\x00" + "mutantswitch.Pick(%d, \x02, \x01)"},
		}})
		break
	}
	return all
}

// isSymmetric reports whether the order of the arguments of a call never matters.
func isSymmetric(n *ast.CallExpr) bool {
	switch fun := n.Fun.(type) {
	case *ast.Ident:
		return fun.Name == "min" || fun.Name == "max"
	case *ast.SelectorExpr:
		return fun.Sel.Name == "Equal" || fun.Sel.Name == "Mul64"
	}
	return false
}

// isPure reports whether an argument can be evaluated twice.
func isPure(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name != "nil"
	case *ast.SelectorExpr:
		return isPure(e.X)
	}
	return false
}

// isMessage reports whether a call makes an error or a text for people.
func (p *checked) isMessage(n *ast.CallExpr) bool {
	s, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && slices.Contains([]string{"fmt", "errors", "slog"}, id.Name)
}
