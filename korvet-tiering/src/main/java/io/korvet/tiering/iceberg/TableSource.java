package io.korvet.tiering.iceberg;

import org.apache.iceberg.TableOperations;

/**
 * Where a table comes from.
 *
 * @param name the table's, for messages
 * @param operations its state and commits
 * @param exclusive proves that the place grants a commit to one writer only, once before a process leads
 * @param close ends what was opened for it
 */
record TableSource(String name, TableOperations operations, Runnable exclusive, Runnable close) {}
