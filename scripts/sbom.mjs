// Prints the modules that a Go program was built from as a CycloneDX document.
//
//   node scripts/sbom.mjs VERSION PROGRAM
import { execFileSync } from 'node:child_process'

const [version, program] = process.argv.slice(2)
const lines = execFileSync('go', ['version', '-m', program], { encoding: 'utf8' }).split('\n').map((line) => line.trim().split('\t'))
const component = (type, name, version) => ({ type, 'bom-ref': `${name}@${version}`, name, version, purl: `pkg:golang/${name}@${version}` })
const main = lines.find(([kind]) => kind === 'mod')
if (!main) throw new Error(`${program} has no list of modules: build it with the go command`)
const go = lines[0].join(' ').match(/go(\d[\w.]*)/)[1]

console.log(JSON.stringify({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { component: component('application', main[1], version) },
  components: [
    component('library', 'std', go),
    ...lines.filter(([kind]) => kind === 'dep').map(([, name, version]) => component('library', name, version)),
  ],
}, null, 2))
