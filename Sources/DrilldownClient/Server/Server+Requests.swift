import Foundation

extension Server {
    /// Sends a request, and waits for an answer that is not a problem.
    ///
    /// - Throws: `Problem` for a status from 400 and if there is no whole answer, `CancellationError`.
    func send(_ request: Request) async throws -> Answer {
        let answer = try await transport.answer(to: request)
        guard answer.status < 400 else { throw Problem(answer, from: address) }
        guard answer.status < 300 || answer.status == 304 else {
            let place = answer.header["location"].map { "it redirects to \($0.prefix(200))" }
            throw Problem.unreadable(answer, from: address, place ?? "its status is \(answer.status)")
        }
        return answer
    }

    /// Reads the JSON of an answer.
    ///
    /// - Throws: `Problem` of the kind `.unreadableAnswer` for anything else.
    func read<Value>(
        _ answer: Answer, as read: (_ bytes: [UInt8]) throws(JSONError) -> Value
    ) throws(Problem) -> Value {
        guard answer.isJSON, (200..<300).contains(answer.status) else {
            let reason = answer.isJSON ? "its status is \(answer.status)" : "it is not announced as JSON"
            throw .unreadable(answer, from: address, reason)
        }
        do {
            return try read([UInt8](answer.body))
        } catch  where error.isTooDeep {
            throw .answerTooDeep(answer.target)
        } catch {
            throw .unreadable(answer, from: address, error.description)
        }
    }

    /// Asks for a value; if the answer is as it was, it is the value that was read then.
    func value<Value: Sendable>(
        of target: String, as read: (_ bytes: [UInt8]) throws(JSONError) -> Value
    ) async throws -> Value {
        var request = Request(target)
        request.header["Accept"] = "application/json"
        let known = memory[target]
        let remembered = known?.value as? Value
        if let known, remembered != nil { request.header["If-None-Match"] = known.tag }
        let answer = try await send(request)
        if answer.status == 304 {
            guard let remembered else {
                throw Problem.unreadable(answer, from: address, "its status is 304, although no version was named")
            }
            return remembered
        }
        let value = try self.read(answer, as: read)
        if let tag = answer.entityTag {
            // A value takes about twice the memory of its bytes.
            memory.remember(.init(tag: tag, value: value, cost: 2 * answer.body.count + 256), for: target)
        }
        return value
    }

    /// The address of the service, for sentences.
    var address: String { configuration.url.absoluteString }
}
