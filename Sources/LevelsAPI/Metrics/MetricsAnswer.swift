import HTTPServer
import Levels
import TreeSources
import TreeStore

/// `GET /metrics`: the counters of the service in the text format of Prometheus (manual, Monitoring and protection).
struct MetricsAnswer {
    let server: ServerTotals
    let store: StoreTotals
    let process: ProcessStatus
    let bodies: ResponseBudget
    /// The expiry of the certificate in use, in seconds since 1970; nil without a certificate.
    let certificateExpiry: Int?
    let cache: ResponseCache.Counts
    let version: String
    let items: Int
    let revision: String
    let isStale: Bool
    /// The connection to the database; nil for a document that is not in a database.
    let database: DatabaseConnection?
    let polls: Int
    let streams: Int
    let queued: Int

    func write(to text: inout PrometheusText) {
        writeRequests(to: &text)
        writeServer(to: &text)
        writeDocument(to: &text)
        if let database { write(database, to: &text) }
        writeProcess(to: &text)
    }

    // MARK: Requests

    /// The name of a route; `other` for a target that is not served.
    static func name(ofRoute route: Int) -> String {
        Endpoint.all.indices.contains(route - 1) ? String(describing: Endpoint.all[route - 1].name) : "other"
    }

    private func writeRequests(to text: inout PrometheusText) {
        let build: StaticString = "drilldown_build_info"
        text.begin(build, .gauge, "The version of the program and of libmicrohttpd; always 1.")
        text.sample(build, [("version", version), ("libmicrohttpd", Server.libraryVersion)], value: 1)
        let name: StaticString = "drilldown_http_requests_total"
        text.begin(
            name, .counter, "Requests that were answered, by route, method and status; counted at their end.")
        for route in 0..<server.routes {
            for method in HTTPServer.Method.all {
                for status in ServerTotals.statuses {
                    let count = server.requests(route: route, method: method, status: status)
                    guard count > 0 else { continue }
                    let labels: PrometheusText.Labels = [
                        ("route", Self.name(ofRoute: route)), ("method", method.name),
                        ("status", status == 0 ? "other" : "\(status)"),
                    ]
                    text.sample(name, labels, value: count)
                }
            }
        }
        text.write(
            "drilldown_http_requests_unanswered_total", .counter,
            "Requests without an answer from the service: the client left, or the HTTP library refused them.",
            server.unanswered)
        text.write(
            "drilldown_http_responses_incomplete_total", .counter,
            "Answers that were cut off, since the client left or did not read; they are in the requests too.",
            server.incomplete)
        text.write(
            "drilldown_http_response_body_bytes_total", .counter,
            "Bytes of the bodies of answers, by route, as the access log has them.", by: "route",
            (0..<server.routes).filter { server.bytes(route: $0) > 0 }
                .map { (Self.name(ofRoute: $0), server.bytes(route: $0)) })
        writeHistograms(
            "drilldown_http_request_duration_seconds",
            "From the request line to the end of the answer, by route, without the requests that waited for a change.",
            buckets: .requests, isWait: false, to: &text)
        writeHistograms(
            "drilldown_http_wait_duration_seconds",
            "From the request line to the end of the answer, by route, of the requests that waited for a change: long polls and streams.",
            buckets: .waits, isWait: true, to: &text)
    }

    private func writeHistograms(
        _ name: StaticString, _ help: StaticString, buckets: DurationBuckets, isWait: Bool,
        to text: inout PrometheusText
    ) {
        text.begin(name, .histogram, help)
        for route in 0..<server.routes {
            let histogram = server.durations(route: route, isWait: isWait)
            guard histogram.count > 0 else { continue }
            let label = (name: "route" as StaticString, value: Self.name(ofRoute: route))
            var count = 0
            for (index, added) in histogram.buckets.enumerated() {
                count += added
                let bound = index < buckets.bounds.count ? Self.seconds(buckets.bounds[index]) : "+Inf"
                text.sample(name, suffix: "_bucket", [label, ("le", bound)], value: count)
            }
            text.sample(name, suffix: "_sum", [label], value: Self.seconds(histogram.sum))
            text.sample(name, suffix: "_count", [label], value: count)
        }
    }

    private static func seconds(_ nanoseconds: Int) -> String { "\(Double(nanoseconds) / 1e9)" }

    /// The number of edits that were answered with a status in a range.
    private func editRequests(_ range: Range<Int>) -> Int {
        var count = 0
        for (index, endpoint) in Endpoint.all.enumerated() {
            for operation in endpoint.operations where operation.changesDocument {
                for status in ServerTotals.statuses where range.contains(status) {
                    count += server.requests(route: index + 1, method: operation.method, status: status)
                }
            }
        }
        return count
    }

    // MARK: The table of metrics

    private func writeServer(to text: inout PrometheusText) {
        text.write(
            "drilldown_http_connections_accepted_total", .counter, "Connections that were accepted.",
            server.connections)
        text.write("drilldown_http_connections", .gauge, "Connections that are open.", server.openConnections)
        text.write(
            "drilldown_http_connections_limit", .gauge, "Connections that may be open at the same time.",
            server.connectionLimit)
        text.write(
            "drilldown_certificate_expiry_timestamp_seconds", .gauge,
            "When the certificate in use expires, in seconds since 1970.", certificateExpiry)
        text.write("drilldown_waiting_requests", .gauge, "Long polls that wait for a change.", polls)
        text.write("drilldown_event_streams", .gauge, "Streams of changes that are open.", streams)
        text.write(
            "drilldown_queued_requests", .gauge, "Requests that take long, and wait for their turn.", queued)
        text.write(
            "drilldown_response_bytes", .gauge,
            "Memory of the bodies on their way, each counted once, with the buffers of streams; those below 16 KiB are not counted.",
            bodies.used)
        text.write(
            "drilldown_response_bytes_limit", .gauge,
            "The size at which long answers are refused (--response-bytes).", bodies.limit)
        text.write(
            "drilldown_responses_refused_total", .counter,
            "Long answers that were refused for lack of this memory.", bodies.refusals)
        text.write(
            "drilldown_cache_hits_total", .counter, "Levels and details that were answered from the cache.",
            cache.hits)
        text.write(
            "drilldown_cache_misses_total", .counter, "Levels and details that had to be rendered.", cache.misses)
    }

    private func writeDocument(to text: inout PrometheusText) {
        text.write("drilldown_items", .gauge, "Items of the document that is served.", items)
        text.write(
            "drilldown_revision_number", .gauge,
            "The number at the end of the current revision. It counts from 1 at each start, except for a database.",
            Self.number(ofRevision: revision))
        text.write(
            "drilldown_stale", .gauge,
            "1 if the latest load was refused, so that an older document is served; else 0.", isStale ? 1 : 0)
        let loads = [("published", store.published), ("unchanged", store.unchanged), ("refused", store.refused)]
        text.write(
            "drilldown_loads_total", .counter, "Loads of the document, by outcome.", by: "outcome",
            loads.map { ($0, $1.count) })
        text.write(
            "drilldown_load_duration_seconds", "The durations of loads of the document, by outcome.", by: "outcome",
            loads)
        text.write(
            "drilldown_last_load_timestamp_seconds", .gauge,
            "When the document was last loaded, or found unchanged, in seconds since 1970.", store.latestLoad)
        text.write(
            "drilldown_last_refusal_timestamp_seconds", .gauge,
            "When a load was last refused, in seconds since 1970; 0 if none was.", store.latestRefusal)
        text.write(
            "drilldown_edits_total", .counter,
            "Requests to edit: done if they changed the document, refused if answered with 4xx, failed with 5xx.",
            by: "outcome",
            [("done", store.edits), ("refused", editRequests(400..<500)), ("failed", editRequests(500..<600))])
        text.write(
            "drilldown_edit_steps_total", .counter,
            "Steps of the edits that changed the document; replacing the whole document counts as one.",
            store.editSteps)
        text.write(
            "drilldown_saves_total", .counter,
            "Saves of the document, each with the edits of one request or several.", by: "outcome",
            [("done", store.saves.count), ("failed", store.failedSaves)])
        text.write(
            "drilldown_save_duration_seconds", "The durations of successful saves, until they were on disk.",
            store.saves)
    }

    /// The number at the end of a revision, such as `12` for `k3f9ab-12`; 0 for a revision without a number.
    static func number(ofRevision revision: String) -> Int { RevisionName(revision)?.number ?? 0 }

    private func write(_ database: DatabaseConnection, to text: inout PrometheusText) {
        let (work, doubts) = (database.work, database.work.doubts)
        text.write(
            "drilldown_database_connected", .gauge, "1 if the database answered the latest check, else 0.",
            database.isConnected ? 1 : 0)
        text.write(
            "drilldown_database_connections", .gauge, "Connections to the database that are open.",
            work.openConnections)
        text.write(
            "drilldown_database_connections_made_total", .counter, "Connections to the database that were made.",
            work.madeConnections)
        text.write(
            "drilldown_database_duration_seconds",
            "The durations of database work, including failures: to look for revisions, to reserve ids, to commit edits.",
            by: "work", [("look", work.looks), ("reserve", work.reservations), ("commit", work.commits)])
        text.write(
            "drilldown_database_lag_seconds",
            "The time from a commit of another program or server until it was read here, by both clocks.", work.lag)
        text.write(
            "drilldown_database_commits_in_doubt_total", .counter,
            "Commits whose connection broke, by their outcome, as it was found later.", by: "outcome",
            [("written", doubts.written), ("refused", doubts.refused), ("unknown", doubts.unknown)])
    }

    private func writeProcess(to text: inout PrometheusText) {
        text.write(
            "process_cpu_seconds_total", .counter, "User and system time of the process.", process.processorSeconds)
        text.write("process_open_fds", .gauge, "Descriptors that are open.", process.openDescriptors)
        text.write("process_max_fds", .gauge, "Descriptors that may be open.", process.descriptorLimit)
        text.write("process_resident_memory_bytes", .gauge, "Resident memory.", process.residentBytes)
        text.write("process_virtual_memory_bytes", .gauge, "Virtual memory.", process.virtualBytes)
        text.write("process_threads", .gauge, "Threads of the process.", process.threads)
        text.write(
            "process_start_time_seconds", .gauge, "When the process was started, in seconds since 1970.",
            process.startTime)
    }
}
