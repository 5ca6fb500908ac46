FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /drilldown
COPY Makefile ./
RUN make deps && rm -rf /var/lib/apt/lists/*
COPY Package.swift ./
COPY Sources Sources
# The package description names the test targets, so their folders must be there; nothing of them is built.
COPY Tests Tests
# The Swift runtime goes into the program: what the second stage lacks is Debian's libraries only.
RUN swift build --configuration release --product drilldown --static-swift-stdlib \
        --explicit-target-dependency-import-check error \
    && install -D .build/release/drilldown /out/drilldown

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libmicrohttpd12 libxxhash0 libutf8proc2 zlib1g libbrotli1 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/drilldown /usr/local/bin/drilldown
WORKDIR /srv/drilldown
COPY Data Data
USER 10001:10001
EXPOSE 8080
# bash opens the connection itself: the image needs no curl.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["bash", "-c", \
    "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r version status rest <&3 && test \"$status\" = 200"]
ENTRYPOINT ["drilldown"]
CMD ["serve", "Data/Data.plist", "--listen", "0.0.0.0:8080"]
