package io.korvet.server.config;

/** Where logs are kept while they are hot: {@code korvet.storage.local}. */
public record LocalConfig(RedisConfig redis) {}
