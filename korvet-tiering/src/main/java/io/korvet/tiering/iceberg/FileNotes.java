package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdSegment;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What Korvet notes in the footers of its files, as a reader understands it. */
final class FileNotes {

    private FileNotes() {}

    /** Whether a file was written by Korvet for one segment alone, and so has its rows in the order of their ids. */
    static boolean isWrittenFor(Map<String, String> notes, String streamKey, ColdSegment segment) {
        return streamKey.equals(notes.get(ArchiveSchema.SUMMARY_STREAM_KEY))
                && Long.toString(segment.number()).equals(notes.get(ArchiveSchema.SUMMARY_SEGMENT_ID))
                && segment.incarnation().equals(notes.get(ArchiveSchema.SUMMARY_INCARNATION));
    }

    /** Whether a file says that the segment it has is another incarnation's; files that say nothing are everybody's. */
    static boolean isOfAnotherIncarnation(Map<String, String> notes, ColdSegment segment) {
        Noted noted = noted(notes, segment.number());
        return noted != null && !noted.incarnation().equals(segment.incarnation());
    }

    /**
     * Whether a file says that its segment was sealed another time than this one: a copy of what the store had before it
     * went back in time. What has no seal could be of this one.
     */
    static boolean isOfAnotherSealing(Map<String, String> notes, ColdSegment segment) {
        Noted noted = noted(notes, segment.number());
        String seal = segment.segment().seal();
        return noted != null
                && noted.seal() != null
                && seal != null
                && !noted.seal().equals(seal);
    }

    /** Whether a file says that its segment was sealed when this one was. */
    static boolean isOfThatSealing(Map<String, String> notes, ColdSegment segment) {
        Noted noted = noted(notes, segment.number());
        return noted != null
                && noted.incarnation().equals(segment.incarnation())
                && noted.seal() != null
                && noted.seal().equals(segment.segment().seal());
    }

    /** Whether a file was written by Korvet and not for this segment, although its bounds include it. */
    static boolean isOfOthers(Map<String, String> notes, ColdSegment segment) {
        return saysAnything(notes) && noted(notes, segment.number()) == null;
    }

    /** Whether a file was written by Korvet at all. */
    static boolean saysAnything(Map<String, String> notes) {
        return incarnation(notes) != null;
    }

    /** The incarnation whose rows a file has, {@code null} when it doesn't say. */
    static @Nullable String incarnation(Map<String, String> notes) {
        String of = notes.get(ArchiveSchema.SUMMARY_INCARNATION);
        String several = notes.get(ArchiveSchema.FOOTER_SEGMENTS);
        return of != null || several == null
                ? of
                : several.split(",", -1)[0].replaceFirst("^[^:]*:", "").replaceFirst(":.*", "");
    }

    private record Noted(String incarnation, @Nullable String seal) {}

    private static @Nullable Noted noted(Map<String, String> notes, long segment) {
        String number = Long.toString(segment);
        String incarnation = notes.get(ArchiveSchema.SUMMARY_INCARNATION);
        if (incarnation != null && number.equals(notes.get(ArchiveSchema.SUMMARY_SEGMENT_ID))) {
            return new Noted(incarnation, notes.get(ArchiveSchema.SUMMARY_SEAL));
        }
        String several = notes.get(ArchiveSchema.FOOTER_SEGMENTS);
        if (several != null) {
            for (String one : several.split(",", -1)) {
                String[] parts = one.split(":", -1);
                if (parts.length > 1 && parts[0].equals(number)) {
                    return new Noted(parts[1], parts.length > 2 ? parts[2] : null);
                }
            }
        }
        return null;
    }
}
