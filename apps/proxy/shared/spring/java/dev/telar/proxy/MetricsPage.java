package dev.telar.proxy;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusOutputFormat;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusScrapeEndpoint;
import org.springframework.stereotype.Component;

/**
 * Writes the metrics on a platform thread in every launch. On a virtual one, java.io.BufferedWriter
 * starts small and is copied as it grows by each piece of text: 20 MB of garbage per scrape, which
 * would pass for the requests'.
 */
@Component
@WebEndpoint(id = "prometheus")
class MetricsPage extends PrometheusScrapeEndpoint {

    private final Executor thread =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("metrics").factory());

    MetricsPage(PrometheusRegistry registry) {
        super(registry, new Properties());
    }

    @Override
    @ReadOperation(producesFrom = PrometheusOutputFormat.class)
    public WebEndpointResponse<byte[]> scrape(
            PrometheusOutputFormat format, @Nullable Set<String> includedNames) {
        return CompletableFuture.supplyAsync(() -> super.scrape(format, includedNames), thread)
                .join();
    }
}
