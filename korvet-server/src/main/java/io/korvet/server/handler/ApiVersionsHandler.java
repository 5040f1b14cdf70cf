package io.korvet.server.handler;

import io.korvet.protocol.ApiCatalog;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.jspecify.annotations.Nullable;

/**
 * ApiVersions: what the catalog says; no features.
 *
 * <p>A version above ours is answered with UNSUPPORTED_VERSION and the versions of this one API, so that the client asks again
 * (KIP-511). A client software name or version of odd characters is an INVALID_REQUEST.
 */
public final class ApiVersionsHandler implements ApiHandler<ApiVersionsRequestData, ApiVersionsResponseData> {

    private final ApiCatalog catalog;

    /** A handler that tells of a catalog. */
    public ApiVersionsHandler(ApiCatalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.API_VERSIONS;
    }

    @Override
    public CompletionStage<? extends @Nullable ApiVersionsResponseData> handle(
            RequestContext context, ApiVersionsRequestData request) {
        return CompletableFuture.completedStage(answer(context.version(), request));
    }

    private ApiVersionsResponseData answer(short version, ApiVersionsRequestData request) {
        ApiCatalog.Api own = catalog.api(ApiKeys.API_VERSIONS);
        if (own != null && !own.serves(version)) {
            return versions(List.of(own)).setErrorCode(Errors.UNSUPPORTED_VERSION.code());
        }
        if (!new ApiVersionsRequest(request, version).isValid()) {
            return new ApiVersionsResponseData().setErrorCode(Errors.INVALID_REQUEST.code());
        }
        return versions(catalog.apis());
    }

    private static ApiVersionsResponseData versions(Collection<ApiCatalog.Api> apis) {
        ApiVersionsResponseData response = new ApiVersionsResponseData();
        for (ApiCatalog.Api api : apis) {
            response.apiKeys()
                    .add(new ApiVersion()
                            .setApiKey(api.key().id)
                            .setMinVersion(api.advertisedMinimum())
                            .setMaxVersion(api.maximum()));
        }
        return response;
    }
}
