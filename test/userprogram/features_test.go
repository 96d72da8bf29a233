package userprogram

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// features are what users expect of appended time series, of key helpers and of profiles. Each
// names the tests that show it: of this package, or of one of the module.
var features = []struct {
	feature string
	tests   []string
}{
	{"append: one latest item and immutable events of each series", []string{"TestEntity_OneLatestItemAndImmutableEvents"}},
	{"append: one transaction, in which the event must be new", []string{"TestEntity_OneLatestItemAndImmutableEvents", "pkg/dynamo.TestAppend_SendsTheseExpressions"}},
	{"append: strictly newer by time, then by id", []string{"TestEntity_EqualTimesAreOrderedByID"}},
	{"append: stale is a value, with the stored item that is newer", []string{"TestEntity_StaleIsAValueWithTheWinner"}},
	{"append: a busy table and a conflict are retried, and never stale", []string{"TestEntity_TransientFaultsAreRetried", "TestEntity_NothingStoredIsAnError", "pkg/dynamo.TestAppend_CancellationReasonsAreReadInOrder"}},
	{"append: enrichment is preserved", []string{"TestEntity_EnrichmentIsPreservedAndRead"}},
	{"append: the beginning of a series is kept", []string{"TestEntity_CreatedIsTheTimeOfTheFirstAppend"}},
	{"append: events expire and are in no index; the latest item does not expire", []string{"TestEntity_EventsExpireAndTheLatestItemDoesNot", "TestEntity_AnIndexOfLatestItemsIsSparseOrPreserved"}},
	{"history: half-open ranges, filters, both orders, limits, pages, counts, strongly consistent", []string{"TestEntity_HistoryByRangeFilterOrderPageAndCount"}},
	{"history: streams of a subject, apart and merged", []string{"TestEntity_StreamsOfASubjectAreApartAndCanBeMerged"}},
	{"append: a deleted subject is not revived", []string{"TestEntity_AppendsToASoftDeletedSubjectDoNotReviveIt"}},
	{"append: events ordered by numbers of any sign and size, or by text", []string{"TestEntity_OrderedByADecimal", "TestEntity_OrderedByAText", "TestEntity_OrderedByANumberDecidesAsByTime", "TestEntity_OrderedByANumberAgreesWithASortedList"}},
	{"append: a condition of the program, apart from stale", []string{"TestEntity_AUsersConditionIsAConflictApartFromStale", "TestEntity_ConditionalAppendOfALateEventIsDecidedByTheKind"}},
	{"open: each mistake has a code", []string{"TestEntity_ConfigurationErrorsHaveCodes"}},
	{"append: part of the program's own transaction", []string{"TestEntity_AnAppendIsPartOfTheProgramsTransaction"}},
	{"append: an index of latest items whose entry is half there", []string{"TestEntity_AnIndexOfLatestItemsIsSparseOrPreserved", "TestEntity_IndexByEnrichment"}},

	{"keys: of hours, days, months and years", []string{"TestPattern_TimeKeys"}},
	{"keys: ranges do not lose the last day", []string{"TestPattern_RangesAreHalfOpen"}},
	{"keys: composite keys and keys of entities", []string{"TestPattern_CompositeAndEntityKeys"}},
	{"keys: hierarchies and relations", []string{"TestPattern_HierarchiesAndRelations"}},
	{"keys: distributed over shards, the same at each attempt", []string{"TestPattern_DistributedKeys"}},
	{"keys: sparse values, expiry and versions", []string{"TestPattern_TTLSparseAndVersion"}},
	{"read: newest first with a limit, and page after page", []string{"TestEntity_HistoryByRangeFilterOrderPageAndCount"}},
	{"append: events of equal time by their ids", []string{"TestEntity_EqualTimesAreOrderedByID"}},
	{"read: all shards of a series as one", []string{"TestPattern_ReadsMergeTheShardsOfASeries"}},
	{"rollups: count, sum, least and greatest of an hour", []string{"TestPattern_HourlyRollups"}},
	{"rollups: averages of days are weighted", []string{"TestPattern_DailyAveragesAreWeightedByValues"}},

	{"profiles: deletion leaves the indexes, and restoration returns", []string{"TestLifecycle_DeleteLeavesIndexesAndRestoreReturnsToThem"}},
	{"profiles: deleted ones are read and listed, and expire if that is declared", []string{"TestLifecycle_DeletedProfilesAreListedAndExpire"}},
	{"profiles: purged for ever, and nothing of another subject", []string{"TestLifecycle_PurgeRemovesOneSubject", "TestLifecycle_PurgeKeepsTheUniqueValuesOfOthers"}},
	{"profiles: versions of each change, newest first, which expire; the profile does not", []string{"TestLifecycle_VersionsAreListedNewestFirstAndExpire"}},
	{"profiles: versions of two subjects are apart", []string{"TestLifecycle_VersionsOfTwoSubjectsAreApart"}},
	{"profiles: unique values of several fields, where a profile has them all", []string{"TestLifecycle_UniqueConstraintsAreCompoundAndSparse"}},
	{"profiles: unique values of a deleted profile are freed or reserved", []string{"TestLifecycle_UniqueValuesAreFreedOrReserved"}},
	{"profiles: changes on condition of the version", []string{"TestLifecycle_OptimisticLockAndRejectedFields", "TestProfiles_AreStoredOnConditionOfTheirVersion"}},
	{"profiles: a change that is too large for a transaction is not sent", []string{"TestLifecycle_AChangeOfMoreThanATransactionIsRefused"}},
	{"profiles: the expiry of a tombstone removes its versions and unique values", []string{"functions/purge.TestExpiry_TheSweepOfATombstoneRemovesItsVersionsAndUniqueValues"}},
	{"profiles: items that a batch left unprocessed are removed by the next", []string{"pkg/lifecycle.TestPurge_FinishesUnderThrottlingUnprocessedItemsAndLostResponses"}},
	{"profiles: a deletion and an update at the same time", []string{"TestLifecycle_ADeletionAndAnUpdateAtOnceHaveASerialResult"}},
	{"profiles: fields that never change", []string{"TestProfiles_ImmutableFieldsCannotChange"}},
	{
		feature: "profiles: deleted ones, versions, removal and purges as the program's own type",
		tests:   []string{"TestProfiles_AreDeletedListedRemovedAndPurged"},
	},
	{
		feature: "alerts: of a device, and the critical ones of all; rules are put, listed and deleted",
		tests: []string{"TestAlerts_AreRaisedByRulesAndListed",
			"pkg/timeseries.TestPutRule_RaisesAlertsThatEndWithTheRule"},
	},
	{"profiles: indexes and unique constraints that are declared later", []string{"TestProfiles_AreAddedToIndexesAndConstraintsDeclaredLater"}},
}

func TestFeatures_HaveTheirTests(t *testing.T) {
	known := map[string]map[string]bool{}
	for _, f := range features {
		if len(f.tests) == 0 {
			t.Errorf("%s: no test", f.feature)
		}
		for _, name := range f.tests {
			dir, test, found := strings.Cut(name, ".")
			if !found {
				dir, test = filepath.Join("test", "userprogram"), name
			}
			if known[dir] == nil {
				known[dir] = testsIn(t, filepath.Join("..", "..", dir))
			}
			if !known[dir][test] {
				t.Errorf("%s: %s has no test %s", f.feature, dir, test)
			}
		}
	}
}

// testsIn returns the names of the tests of a package.
func testsIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				found[f.Name.Name] = true
			}
		}
	}
	return found
}
