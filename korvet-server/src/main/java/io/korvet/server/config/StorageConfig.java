package io.korvet.server.config;

/** The storage side: {@code korvet.storage}. */
public record StorageConfig(RemoteConfig remote, WorkerConfig worker) {}
