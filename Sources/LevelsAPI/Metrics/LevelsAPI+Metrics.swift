import ContentCodings
import HTTPServer
import Levels
import TreeStore

extension LevelsAPI {
    /// Answers `GET /metrics`.
    func metrics(_ call: Call) throws(Problem) -> Response {
        try call.query.check()
        var text = PrometheusText()
        metricsAnswer.write(to: &text)
        let metadata = RepresentationMetadata(
            contentType: PrometheusText.contentType, entityTag: nil, cacheControl: "no-store", vary: nil,
            added: [("X-Content-Type-Options", "nosniff")])
        return try selection.response(of: Rendering(metadata: metadata, body: text.body()), .identity, call.negotiation)
    }

    private var metricsAnswer: MetricsAnswer {
        let snapshot = publications.current.snapshot
        let streams = followers.streamCount
        let counters = configuration.counters
        return MetricsAnswer(
            server: counters.server.totals, store: counters.storeTotals, process: .now,
            gauges: MetricsAnswer.Gauges(
                items: snapshot.itemCount, revision: snapshot.revision, isStale: readiness().lastError != nil,
                // The two are counted one after the other.
                polls: max(room.count - streams, 0), streams: streams, queued: laterAnswers.room.count),
            bodies: configuration.responseBudget,
            cache: cache.counts, version: counters.version)
    }
}
