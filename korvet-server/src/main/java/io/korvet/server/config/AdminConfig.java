package io.korvet.server.config;

import org.jspecify.annotations.Nullable;

/** Health and metrics over HTTP: {@code korvet.admin}. */
public record AdminConfig(
        @Setting(fallback = "true", text = "Serve health and metrics over HTTP.")
        boolean enabled,

        @Setting(fallback = "0.0.0.0", text = "Address to listen on.")
        String host,

        @Setting(fallback = "8080", max = 65535, text = "Port to listen on; 0 takes a free one.")
        int port,

        @Setting(fallback = "true", text = "Ask for HTTP Basic credentials, except for health and info.")
        boolean securityEnabled,

        @Setting(fallback = "admin", text = "User name for HTTP Basic.")
        String username,

        @Setting(fallbackText = "a random one, logged once at start", text = "Password for HTTP Basic.") @Nullable
        String password,

        @Setting(fallback = "false", text = "Serve `/actuator/prometheus` without credentials.")
        boolean anonymousPrometheus) {

    /** Without secrets. */
    @Override
    public String toString() {
        return "AdminConfig[" + host + ":" + port + "]";
    }
}
