package io.korvet.server.config;

/** The storage side: {@code korvet.storage}. */
public record StorageConfig(LocalConfig local, RemoteConfig remote, WorkerConfig worker) {}
