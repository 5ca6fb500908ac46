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
        text.begin(
            "drilldown_build_info", kind: .gauge, help: "The version of the program and of libmicrohttpd; always 1.")
        text.sample("drilldown_build_info", [("version", version), ("libmicrohttpd", Server.libraryVersion)], value: 1)
        writeRequests(to: &text)
        writeDurations(to: &text)
        writeConnections(to: &text)
        writeBodies(to: &text)
        writeCache(to: &text)
        writeTree(to: &text)
        writeLoads(to: &text)
        writeEdits(to: &text)
        if let database { write(database, to: &text) }
        writeProcess(to: &text)
    }

    // MARK: Requests

    /// The name of a route; `other` for a target that is not served.
    static func name(ofRoute route: Int) -> String {
        Endpoint.all.indices.contains(route - 1) ? String(describing: Endpoint.all[route - 1].name) : "other"
    }

    private func writeRequests(to text: inout PrometheusText) {
        let name: StaticString = "drilldown_http_requests_total"
        text.begin(
            name, kind: .counter,
            help: "Requests that were answered, by route, method and status; counted at their end.")
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
            "drilldown_http_requests_unanswered_total", kind: .counter,
            help: "Requests without an answer from the service: the client left, or the HTTP library refused them.",
            value: server.unanswered)
        text.write(
            "drilldown_http_responses_incomplete_total", kind: .counter,
            help: "Answers that were cut off, since the client left or did not read; they are in the requests too.",
            value: server.incomplete)
        let bytes: StaticString = "drilldown_http_response_body_bytes_total"
        text.begin(bytes, kind: .counter, help: "Bytes of the bodies of answers, by route, as the access log has them.")
        for route in 0..<server.routes where server.bytes(route: route) > 0 {
            text.sample(bytes, [("route", Self.name(ofRoute: route))], value: server.bytes(route: route))
        }
    }

    private func writeDurations(to text: inout PrometheusText) {
        let requests: StaticString = "drilldown_http_request_duration_seconds"
        text.begin(
            requests, kind: .histogram,
            help:
                "From the request line to the end of the answer, by route, without the requests that waited for a change."
        )
        writeHistograms(requests, buckets: .requests, isWait: false, to: &text)
        let waits: StaticString = "drilldown_http_wait_duration_seconds"
        text.begin(
            waits, kind: .histogram,
            help:
                "From the request line to the end of the answer, by route, of the requests that waited for a change: long polls and streams."
        )
        writeHistograms(waits, buckets: .waits, isWait: true, to: &text)
    }

    private func writeHistograms(
        _ name: StaticString, buckets: DurationBuckets, isWait: Bool, to text: inout PrometheusText
    ) {
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

    private func writeConnections(to text: inout PrometheusText) {
        text.write(
            "drilldown_http_connections_accepted_total", kind: .counter, help: "Connections that were accepted.",
            value: server.connections)
        text.write(
            "drilldown_http_connections", kind: .gauge, help: "Connections that are open.",
            value: server.openConnections)
        text.write(
            "drilldown_http_connections_limit", kind: .gauge, help: "Connections that may be open at the same time.",
            value: server.connectionLimit)
        text.write(
            "drilldown_certificate_expiry_timestamp_seconds", kind: .gauge,
            help: "When the certificate in use expires, in seconds since 1970.", value: certificateExpiry)
        text.write("drilldown_waiting_requests", kind: .gauge, help: "Long polls that wait for a change.", value: polls)
        text.write("drilldown_event_streams", kind: .gauge, help: "Streams of changes that are open.", value: streams)
        text.write(
            "drilldown_queued_requests", kind: .gauge, help: "Requests that take long, and wait for their turn.",
            value: queued)
    }

    private func writeBodies(to text: inout PrometheusText) {
        text.write(
            "drilldown_response_bytes", kind: .gauge,
            help:
                "Memory of the bodies on their way, each counted once, with the buffers of streams; those below 16 KiB are not counted.",
            value: bodies.used)
        text.write(
            "drilldown_response_bytes_limit", kind: .gauge,
            help: "The size at which long answers are refused (--response-bytes).", value: bodies.limit)
        text.write(
            "drilldown_responses_refused_total", kind: .counter,
            help: "Long answers that were refused for lack of this memory.",
            value: bodies.refusals)
    }

    // MARK: The document

    private func writeCache(to text: inout PrometheusText) {
        text.write(
            "drilldown_cache_hits_total", kind: .counter, help: "Levels and details that were answered from the cache.",
            value: cache.hits)
        text.write(
            "drilldown_cache_misses_total", kind: .counter, help: "Levels and details that had to be rendered.",
            value: cache.misses)
    }

    private func writeTree(to text: inout PrometheusText) {
        text.write("drilldown_items", kind: .gauge, help: "Items of the document that is served.", value: items)
        text.write(
            "drilldown_revision_number", kind: .gauge,
            help:
                "The number at the end of the current revision. It counts from 1 at each start, except for a database.",
            value: Self.number(ofRevision: revision))
        text.write(
            "drilldown_stale", kind: .gauge,
            help: "1 if the latest load was refused, so that an older document is served; else 0.",
            value: isStale ? 1 : 0)
    }

    /// The number at the end of a revision, such as `12` for `k3f9ab-12`; 0 for a revision without a number.
    static func number(ofRevision revision: String) -> Int {
        RevisionName(revision)?.number ?? 0
    }

    private func writeLoads(to text: inout PrometheusText) {
        let loads = [("published", store.published), ("unchanged", store.unchanged), ("refused", store.refused)]
        let total: StaticString = "drilldown_loads_total"
        text.begin(total, kind: .counter, help: "Loads of the document, by outcome.")
        for (outcome, work) in loads { text.sample(total, [("outcome", outcome)], value: work.count) }
        let duration: StaticString = "drilldown_load_duration_seconds"
        text.begin(duration, kind: .summary, help: "The durations of loads of the document, by outcome.")
        for (outcome, work) in loads {
            text.sample(duration, suffix: "_sum", [("outcome", outcome)], value: work.seconds)
            text.sample(duration, suffix: "_count", [("outcome", outcome)], value: work.count)
        }
        text.write(
            "drilldown_last_load_timestamp_seconds", kind: .gauge,
            help: "When the document was last loaded, or found unchanged, in seconds since 1970.",
            value: store.latestLoad)
        text.write(
            "drilldown_last_refusal_timestamp_seconds", kind: .gauge,
            help: "When a load was last refused, in seconds since 1970; 0 if none was.", value: store.latestRefusal)
    }

    // MARK: Edits

    private func writeEdits(to text: inout PrometheusText) {
        let name: StaticString = "drilldown_edits_total"
        text.begin(
            name, kind: .counter,
            help: "Requests to edit: done if they changed the document, refused if answered with 4xx, failed with 5xx."
        )
        text.sample(name, [("outcome", "done")], value: store.edits)
        text.sample(name, [("outcome", "refused")], value: editRequests(400..<500))
        text.sample(name, [("outcome", "failed")], value: editRequests(500..<600))
        text.write(
            "drilldown_edit_steps_total", kind: .counter,
            help: "Steps of the edits that changed the document; replacing the whole document counts as one.",
            value: store.editSteps
        )
        let saves: StaticString = "drilldown_saves_total"
        text.begin(saves, kind: .counter, help: "Saves of the document, each with the edits of one request or several.")
        text.sample(saves, [("outcome", "done")], value: store.saves.count)
        text.sample(saves, [("outcome", "failed")], value: store.failedSaves)
        let duration: StaticString = "drilldown_save_duration_seconds"
        text.begin(duration, kind: .summary, help: "The durations of successful saves, until they were on disk.")
        text.sample(duration, suffix: "_sum", value: store.saves.seconds)
        text.sample(duration, suffix: "_count", value: store.saves.count)
    }

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

    // MARK: The database

    private func write(_ database: DatabaseConnection, to text: inout PrometheusText) {
        let work = database.work
        text.write(
            "drilldown_database_connected", kind: .gauge, help: "1 if the database answered the latest check, else 0.",
            value: database.isConnected ? 1 : 0)
        text.write(
            "drilldown_database_connections", kind: .gauge, help: "Connections to the database that are open.",
            value: work.openConnections)
        text.write(
            "drilldown_database_connections_made_total", kind: .counter,
            help: "Connections to the database that were made.",
            value: work.madeConnections)
        let duration: StaticString = "drilldown_database_duration_seconds"
        text.begin(
            duration, kind: .summary,
            help:
                "The durations of database work, including failures: to look for revisions, to reserve ids, to commit edits."
        )
        for (name, total) in [("look", work.looks), ("reserve", work.reservations), ("commit", work.commits)] {
            text.sample(duration, suffix: "_sum", [("work", name)], value: total.seconds)
            text.sample(duration, suffix: "_count", [("work", name)], value: total.count)
        }
        let lag: StaticString = "drilldown_database_lag_seconds"
        text.begin(
            lag, kind: .summary,
            help: "The time from a commit of another program or server until it was read here, by both clocks."
        )
        text.sample(lag, suffix: "_sum", value: work.lag.seconds)
        text.sample(lag, suffix: "_count", value: work.lag.count)
        let doubts: StaticString = "drilldown_database_commits_in_doubt_total"
        text.begin(
            doubts, kind: .counter, help: "Commits whose connection broke, by their outcome, as it was found later.")
        text.sample(doubts, [("outcome", "written")], value: work.doubts.written)
        text.sample(doubts, [("outcome", "refused")], value: work.doubts.refused)
        text.sample(doubts, [("outcome", "unknown")], value: work.doubts.unknown)
    }

    // MARK: The process

    private func writeProcess(to text: inout PrometheusText) {
        text.write(
            "process_cpu_seconds_total", kind: .counter, help: "User and system time of the process.",
            value: process.processorSeconds)
        text.write("process_open_fds", kind: .gauge, help: "Descriptors that are open.", value: process.openDescriptors)
        text.write(
            "process_max_fds", kind: .gauge, help: "Descriptors that may be open.", value: process.descriptorLimit)
        text.write(
            "process_resident_memory_bytes", kind: .gauge, help: "Resident memory.", value: process.residentBytes)
        text.write("process_virtual_memory_bytes", kind: .gauge, help: "Virtual memory.", value: process.virtualBytes)
        text.write("process_threads", kind: .gauge, help: "Threads of the process.", value: process.threads)
        text.write(
            "process_start_time_seconds", kind: .gauge, help: "When the process was started, in seconds since 1970.",
            value: process.startTime)
    }
}
