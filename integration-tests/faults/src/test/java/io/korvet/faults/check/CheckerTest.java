package io.korvet.faults.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.faults.history.Event;
import io.korvet.faults.history.EventLine;
import io.korvet.faults.history.History;
import io.korvet.faults.history.History.Client;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each rule is broken by a history of its own, as Jepsen names such anomalies, and a good history breaks none. */
class CheckerTest {
    private final List<String> producer = lines(
            "10 sent t-0 0.0 1000",
            "11 acknowledged t-0 0.0 5",
            "12 sent t-0 0.1 1001",
            "13 sent t-0 0.2 1002",
            "14 acknowledged t-0 0.1 7",
            "15 acknowledged t-0 0.2 8",
            "16 sent t-0 0.3 1003",
            "17 failed t-0 0.3 too large",
            "18 sent t-0 0.4 1004",
            "19 unknown t-0 0.4 timeout",
            "20 sent t-0 0.5 1005",
            "21 unknown t-0 0.5 timeout",
            "22 sent t-0 0.6 1006",
            "23 acknowledged t-0 0.6 12");
    private final List<String> log = lines(
            "90 read t-0 5 1000 0.0",
            "91 read t-0 7 1001 0.1",
            "92 read t-0 8 1002 0.2",
            "93 read t-0 11 1004 0.4",
            "94 read t-0 12 1006 0.6");
    private final List<String> reader = lines(
            "30 positioned t-0 0",
            "31 read t-0 5 1000 0.0",
            "32 read t-0 7 1001 0.1",
            "33 read t-0 8 1002 0.2",
            "34 positioned t-0 6",
            "35 read t-0 7 1001 0.1",
            "36 read t-0 8 1002 0.2",
            "37 read t-0 11 1004 0.4",
            "38 read t-0 12 1006 0.6");
    private final List<String> member = lines(
            "40 assigned t-0",
            "41 read t-0 5 1000 0.0",
            "42 read t-0 7 1001 0.1",
            "43 commit t-0 8",
            "44 committed t-0 8");
    private final List<String> other = lines(
            "50 assigned t-0",
            "51 read t-0 8 1002 0.2",
            "52 read t-0 11 1004 0.4",
            "53 read t-0 12 1006 0.6",
            "54 commit t-0 13",
            "55 committed t-0 13");
    private final List<String> settled = lines("80 settled t-0 13 13");

    private static List<String> lines(String... lines) {
        return new ArrayList<>(List.of(lines));
    }

    private record Lines(String name, List<String> lines) implements Client {
        @Override
        public Stream<Event> events() {
            return lines.stream().map(EventLine::read);
        }
    }

    private static void replace(List<String> lines, String old, String... instead) {
        int index = lines.indexOf(old);
        assertThat(index).isNotNegative();
        lines.remove(index);
        lines.addAll(index, List.of(instead));
    }

    private final Anomalies anomalies = new Anomalies();

    private Checker.Counts check() {
        History history = new History(
                List.of(new Lines("producer-0", producer)),
                List.of(new Lines("reader-0", reader)),
                List.of(new Lines("member-0", member), new Lines("member-1", other)),
                new Lines("settled", settled),
                new Lines("log", log));
        return Checker.check(history, anomalies);
    }

    private void breaks(Rule... rules) {
        check();
        assertThat(anomalies.counts().keySet()).isEqualTo(Set.of(rules));
        assertThat(anomalies.kept())
                .allSatisfy(anomaly -> assertThat(anomaly.text()).isNotBlank());
    }

    @Test
    void aGoodHistoryBreaksNothingAndIsCounted() {
        Checker.Counts counts = check();
        assertThat(anomalies.kept()).isEmpty();
        assertThat(anomalies.none()).isTrue();
        assertThat(counts).isEqualTo(new Checker.Counts(7, 4, 1, 2, 1, 5, 7, 5, 2));
    }

    @Test
    void anAcknowledgedRecordThatIsNowhereIsLost() {
        for (List<String> lines : List.of(log, reader, other)) {
            lines.removeIf(line -> line.endsWith(" 1002 0.2"));
        }
        breaks(Rule.LOST);
    }

    @Test
    void anAcknowledgedRecordAtAnotherOffsetIsInAWrongPlace() {
        replace(producer, "15 acknowledged t-0 0.2 8", "15 acknowledged t-0 0.2 9");
        breaks(Rule.WRONG_PLACE);
    }

    @Test
    void aFailedRecordThatIsThereIsAnAbortedRead() {
        replace(producer, "19 unknown t-0 0.4 timeout", "19 failed t-0 0.4 refused");
        breaks(Rule.FAILED_BUT_STORED);
    }

    @Test
    void aRecordNobodySentIsAPhantom() {
        producer.removeIf(line -> line.contains("0.4"));
        breaks(Rule.PHANTOM);
    }

    @Test
    void aRecordThatIsThereTwiceIsADuplicate() {
        log.add("95 read t-0 14 1004 0.4");
        reader.add("39 read t-0 14 1004 0.4");
        replace(other, "54 commit t-0 13", "53 read t-0 14 1004 0.4", "54 commit t-0 15");
        replace(other, "55 committed t-0 13", "55 committed t-0 15");
        settled.set(0, "80 settled t-0 15 15");
        breaks(Rule.DUPLICATE);
    }

    @Test
    void recordsInAnotherOrderThanSentAreReordered() {
        replace(producer, "14 acknowledged t-0 0.1 7", "14 acknowledged t-0 0.1 8");
        replace(producer, "15 acknowledged t-0 0.2 8", "15 acknowledged t-0 0.2 7");
        for (List<String> lines : List.of(log, reader, member, other)) {
            lines.replaceAll(line -> line.replace("7 1001 0.1", "7 1002 0.2#").replace("8 1002 0.2", "8 1001 0.1"));
            lines.replaceAll(line -> line.replace("#", ""));
        }
        breaks(Rule.REORDERED);
    }

    @Test
    void aRecordSentAfterAnothersAcknowledgementMustNotStandBeforeIt() {
        replace(log, "93 read t-0 11 1004 0.4", "93 read t-0 11 1000 100.0");
        for (List<String> lines : List.of(reader, other)) {
            lines.replaceAll(line -> line.replace("11 1004 0.4", "11 1000 100.0"));
        }
        producer.add("24 sent t-0 100.0 1000");
        producer.add("25 acknowledged t-0 100.0 11");
        breaks(Rule.OVERTAKEN);
    }

    @Test
    void aTimestampThatIsNotTheProducersIsWrong() {
        replace(producer, "13 sent t-0 0.2 1002", "13 sent t-0 0.2 999");
        breaks(Rule.WRONG_TIMESTAMP);
    }

    @Test
    void aReadOfSomethingElseThanTheLogHasIsWrong() {
        replace(reader, "33 read t-0 8 1002 0.2", "33 read t-0 8 1004 0.4");
        breaks(Rule.WRONG_READ);
    }

    @Test
    void aReadWhereTheLogHasNothingIsWrong() {
        replace(reader, "33 read t-0 8 1002 0.2", "33 read t-0 8 1002 0.2", "33 read t-0 9 1005 0.5");
        breaks(Rule.WRONG_READ);
    }

    @Test
    void aReaderThatGoesBackByItselfIsNotAscending() {
        replace(reader, "34 positioned t-0 6");
        breaks(Rule.NOT_ASCENDING);
    }

    @Test
    void aReaderThatMissesARecordSkips() {
        replace(reader, "36 read t-0 8 1002 0.2");
        breaks(Rule.SKIPPED);
    }

    @Test
    void aReaderThatMissesTheFirstRecordSkips() {
        replace(reader, "31 read t-0 5 1000 0.0");
        breaks(Rule.SKIPPED);
    }

    @Test
    void aReaderThatDoesNotReachTheEndLeavesRecordsUnread() {
        reader.remove(reader.size() - 1);
        breaks(Rule.UNREAD);
    }

    @Test
    void brokenRecordsAreReported() {
        reader.add("39 broken t-0 13 no value of this run, 17 bytes");
        breaks(Rule.BROKEN_READ);
    }

    @Test
    void aGroupThatGoesOnBeforeItsCommitLostIt() {
        replace(other, "51 read t-0 8 1002 0.2", "51 read t-0 7 1001 0.1", "51 read t-0 8 1002 0.2");
        breaks(Rule.COMMIT_LOST);
    }

    @Test
    void aGroupThatGoesOnBehindWhatAnybodyCommittedIsAhead() {
        replace(member, "42 read t-0 7 1001 0.1", "42 read t-0 7 1001 0.1", "42 read t-0 8 1002 0.2");
        replace(other, "51 read t-0 8 1002 0.2");
        breaks(Rule.COMMIT_AHEAD);
    }

    @Test
    void aCommitOfUnknownOutcomeMayCountOrNot() {
        replace(member, "44 committed t-0 8");
        check();
        replace(
                other,
                "51 read t-0 8 1002 0.2",
                "51 read t-0 5 1000 0.0",
                "51 read t-0 7 1001 0.1",
                "51 read t-0 8 1002 0.2");
        check();
        assertThat(anomalies.kept()).isEmpty();
    }

    @Test
    void aCommitWithoutAnswerMayTakeEffectAfterLaterOnes() {
        replace(member, "42 read t-0 7 1001 0.1", "42 commit t-0 6", "42 read t-0 7 1001 0.1");
        replace(other, "51 read t-0 8 1002 0.2", "51 read t-0 7 1001 0.1", "51 read t-0 8 1002 0.2");
        check();
        assertThat(anomalies.kept()).isEmpty();
    }

    @Test
    void aCommitWithoutAnswerMayNotTakeEffectAfterOneOfALaterAssignment() {
        replace(member, "44 committed t-0 8");
        List<String> third = lines("70 assigned t-0", "71 read t-0 8 1002 0.2", "72 read t-0 11 1004 0.4");
        other.addAll(third);
        breaks(Rule.COMMIT_LOST);
    }

    @Test
    void aCommitWithoutAnswerMayTakeEffectInALaterAssignmentAsLongAsNoneOfThatIsStored() {
        replace(member, "42 read t-0 7 1001 0.1", "42 commit t-0 6", "42 read t-0 7 1001 0.1");
        replace(
                other,
                "55 committed t-0 13",
                "55 note not committed",
                "70 assigned t-0",
                "71 read t-0 7 1001 0.1",
                "72 read t-0 8 1002 0.2",
                "73 read t-0 11 1004 0.4",
                "74 read t-0 12 1006 0.6",
                "75 commit t-0 13",
                "76 committed t-0 13");
        check();
        assertThat(anomalies.kept()).isEmpty();
    }

    @Test
    void aRecordNoMemberGotIsUndelivered() {
        replace(member, "42 read t-0 7 1001 0.1");
        breaks(Rule.UNDELIVERED);
    }

    @Test
    void aMemberThatMissesARecordSkips() {
        replace(other, "52 read t-0 11 1004 0.4");
        breaks(Rule.SKIPPED, Rule.UNDELIVERED);
    }

    @Test
    void aGroupBeforeTheEndLags() {
        settled.set(0, "80 settled t-0 12 13");
        breaks(Rule.LAG);
    }

    @Test
    void aGroupBehindTheEndIsReported() {
        settled.set(0, "80 settled t-0 20 13");
        breaks(Rule.LAG);
    }

    @Test
    void theEventsAroundAnAnomalyAreKept() {
        replace(reader, "36 read t-0 8 1002 0.2");
        check();
        assertThat(anomalies.kept().get(0).around())
                .contains("reader-0 35 read t-0 7 1001 0.1", "reader-0 37 read t-0 11 1004 0.4", "log > t-0 8 0.2");
    }

    @Test
    void allAreCountedAndSomeAreKept() {
        for (int i = 0; i < 50; i++) {
            reader.add("39 broken t-0 13 no value of this run");
        }
        check();
        assertThat(anomalies.counts()).containsEntry(Rule.BROKEN_READ, 50);
        assertThat(anomalies.kept()).hasSize(20);
    }
}
