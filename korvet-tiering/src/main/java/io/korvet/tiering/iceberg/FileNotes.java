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
        String number = Long.toString(segment.number());
        String noted = number.equals(notes.get(ArchiveSchema.SUMMARY_SEGMENT_ID))
                ? notes.get(ArchiveSchema.SUMMARY_INCARNATION)
                : ofSeveral(notes.get(ArchiveSchema.FOOTER_SEGMENTS), number);
        return noted != null && !noted.equals(segment.incarnation());
    }

    /** Whether a file was written by Korvet for several segments, this one among them. */
    static boolean isOneOf(Map<String, String> notes, ColdSegment segment) {
        String number = Long.toString(segment.number());
        return segment.incarnation().equals(ofSeveral(notes.get(ArchiveSchema.FOOTER_SEGMENTS), number));
    }

    /** Whether a file was written by Korvet at all. */
    static boolean saysAnything(Map<String, String> notes) {
        return incarnation(notes) != null;
    }

    /** The incarnation whose rows a file has, {@code null} when it doesn't say. */
    static @Nullable String incarnation(Map<String, String> notes) {
        String of = notes.get(ArchiveSchema.SUMMARY_INCARNATION);
        String several = notes.get(ArchiveSchema.FOOTER_SEGMENTS);
        return of != null || several == null ? of : several.split(",", -1)[0].replaceFirst("^[^:]*:", "");
    }

    private static @Nullable String ofSeveral(@Nullable String segments, String number) {
        if (segments != null) {
            for (String segment : segments.split(",", -1)) {
                if (segment.startsWith(number + ":")) {
                    return segment.substring(number.length() + 1);
                }
            }
        }
        return null;
    }
}
