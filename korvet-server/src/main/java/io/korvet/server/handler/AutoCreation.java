package io.korvet.server.handler;

/** Whether topics that clients ask for by Metadata are made. */
public enum AutoCreation {
    /** Made, unless the request says otherwise. */
    ALLOWED,
    /** Never made. */
    OFF
}
