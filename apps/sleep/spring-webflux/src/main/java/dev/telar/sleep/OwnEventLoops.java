package dev.telar.sleep;

import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;
import reactor.netty.resources.LoopResources;

/**
 * Event loops that only the API uses: metrics are read while all of these are blocked. As many as
 * there would be without it.
 */
@Component
class OwnEventLoops implements WebServerFactoryCustomizer<NettyReactiveWebServerFactory> {

    @Override
    public void customize(NettyReactiveWebServerFactory factory) {
        LoopResources loops =
                LoopResources.create("op", LoopResources.DEFAULT_IO_WORKER_COUNT, true);
        factory.addServerCustomizers(server -> server.runOn(loops));
    }
}
