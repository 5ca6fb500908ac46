FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /drilldown
COPY Makefile ./
RUN make deps install-deps && rm -rf /var/lib/apt/lists/*
COPY Package.swift ./
COPY Sources Sources
# Package.swift names the test targets, so their folders must exist; they are not built.
COPY Tests Tests
COPY Config Config
COPY Data Data
# The program contains the Swift runtime, so the last stage needs only Debian's libraries.
# The terminal client, which is larger than all the rest, is left out.
RUN make install DESTDIR=/out PREFIX=/usr/local BROWSE_PROGRAM=

# The program's debugging information, which debuggers look for next to the program:
# docker build --target debug --output . .
FROM scratch AS debug
COPY --from=build /drilldown/.build/install/drilldown.debug /

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="drilldown" \
    org.opencontainers.image.description="Serves a property list over HTTP, one level at a time" \
    org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim"
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        libmicrohttpd12 libgnutls30 libxxhash0 libutf8proc2 zlib1g libbrotli1 libcurl4 libsqlite3-0 libpq5 ca-certificates \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/usr/local /usr/local
# Mount your own documents here, so that 'serve My.plist' finds them; user 10001 must be able to read them:
# docker run -p 127.0.0.1:8080:8080 -v "$PWD:/srv/drilldown:ro" drilldown serve My.plist
# Nothing is written, so that --read-only works; a document from a URL needs --tmpfs /tmp.
WORKDIR /srv/drilldown
# Defaults that an option or -e overrides. The service listens on the container's whole network.
ENV DRILLDOWN_LISTEN=0.0.0.0:8080 \
    DRILLDOWN_SOURCE=/usr/local/share/drilldown/Data/Data.plist
USER 10001:10001
EXPOSE 8080
# Running requests get 1.5 seconds, edits 5.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
    CMD ["/usr/local/share/drilldown/Config/health-check"]
ENTRYPOINT ["drilldown"]
CMD ["serve"]
