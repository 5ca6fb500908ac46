import HTTPServer
import Testing

@testable import LevelsAPI

/// The table of endpoints: the endpoint of a target, and its methods.
@Suite struct EndpointTests {
    private static func name(_ target: String) -> String? {
        Endpoint.match(target.utf8Span.span).map { String(describing: $0.endpoint.name) }
    }

    @Test("Each endpoint is found by its name, with a slash and a query too")
    func found() {
        for name in Endpoint.names {
            #expect(Self.name(name) == name)
            #expect(Self.name(name + "?x=/y") == name)
            if name != "/" { #expect(Self.name(name + "/") == name) }
        }
    }

    @Test("A path follows the name of an endpoint that takes one, and of no other")
    func path() {
        for endpoint in Endpoint.all {
            let name = String(describing: endpoint.name)
            let target = (name == "/" ? "" : name) + "/a/b"
            #expect(Self.name(target) == (endpoint.path != .nothing ? name : nil))
            #expect(Self.name(name + "x") == nil)
        }
    }

    @Test("HEAD is answered wherever GET is, and OPTIONS everywhere")
    func methods() {
        for endpoint in Endpoint.all {
            #expect(endpoint.methods().last == "OPTIONS")
            #expect(endpoint.methods().contains("HEAD") == endpoint.methods().contains("GET"))
            #expect(endpoint.operation(.head)?.method == endpoint.operation(.get)?.method)
        }
        #expect(Endpoint.methods == ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    }
}
