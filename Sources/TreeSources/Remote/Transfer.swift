internal import CCurl
internal import Glibc

/// A running request: a curl handle (`libcurl-easy(3)`), and the reception of its response.
@safe
struct Transfer: ~Copyable {
    /// The curl handle, for the loop that advances the transfer.
    let handle: UnsafeMutableRawPointer
    let request: FetchRequest
    let reception: Reception
    private let fieldLines: UnsafeMutablePointer<curl_slist>?
    /// Receives curl's error message.
    private let words: UnsafeMutablePointer<CChar>

    /// Prepares a transfer. Returns nil if curl cannot get memory for it.
    init?(
        request: FetchRequest, from address: RemoteAddress, limits: RemoteDocument.Limits, progress: LoadProgress?
    ) {
        guard let handle = unsafe curl_easy_init() else { return nil }
        unsafe self.handle = handle
        self.request = request
        let pace = TransferPace(patience: limits.patience, wait: request.wait, from: .now)
        reception = Reception(
            mostBytes: limits.bytes, pace: pace,
            progress: progress.map { FetchProgress(progress: $0, name: address.shown) })
        unsafe words = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        var lines: UnsafeMutablePointer<curl_slist>?
        for line in request.fieldLines { unsafe lines = curl_slist_append(lines, line) ?? lines }
        unsafe fieldLines = lines
        setAddress(address)
        setBounds(limits, redirects: address.redirectSchemes)
        setReceivers()
    }

    /// The handle must have been removed from its loop before.
    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe curl_slist_free_all(fieldLines)
        unsafe words.deallocate()
    }

    private func setAddress(_ address: RemoteAddress) {
        setText(CURLOPT_URL, to: address.shown)
        // The user name and password are set separately from the URL. So curl's messages do not contain them, and curl
        // does not send them to other hosts.
        if let user = address.user { setText(CURLOPT_USERNAME, to: user) }
        if let password = address.password { setText(CURLOPT_PASSWORD, to: password) }
        setText(CURLOPT_USERAGENT, to: "drilldown/0.1")
        _ = unsafe shim_curl_set_list(handle, CURLOPT_HTTPHEADER, fieldLines)
        // The curl command reads this variable of OpenSSL, but libcurl does not.
        if let path = unsafe getenv("SSL_CERT_FILE") { _ = unsafe shim_curl_set_text(handle, CURLOPT_CAINFO, path) }
    }

    private func setBounds(_ limits: RemoteDocument.Limits, redirects schemes: String) {
        setText(CURLOPT_PROTOCOLS_STR, to: "http,https")
        setText(CURLOPT_REDIR_PROTOCOLS_STR, to: schemes)
        setNumber(CURLOPT_FOLLOWLOCATION, to: 1)
        setNumber(CURLOPT_MAXREDIRS, to: RemoteDocument.Limits.redirects)
        setNumber(CURLOPT_CONNECTTIMEOUT, to: limits.connectSeconds)
        setNumber(CURLOPT_TCP_KEEPALIVE, to: 1)
        // A proxy's response to CONNECT is not the origin's response.
        setNumber(CURLOPT_SUPPRESS_CONNECT_HEADERS, to: 1)
        setNumber(CURLOPT_BUFFERSIZE, to: 64 << 10)
        // Only one thread handles signals, so curl must not use them.
        setNumber(CURLOPT_NOSIGNAL, to: 1)
        // A cancelled transfer does not wait for a host name that is still being resolved.
        setNumber(CURLOPT_QUICK_EXIT, to: 1)
    }

    private func setReceivers() {
        let context = unsafe Unmanaged.passUnretained(reception).toOpaque()
        _ = unsafe shim_curl_set_address(handle, CURLOPT_HEADERDATA, context)
        _ = unsafe shim_curl_set_receiver(handle, CURLOPT_HEADERFUNCTION, receiveHeader)
        _ = unsafe shim_curl_set_address(handle, CURLOPT_WRITEDATA, context)
        _ = unsafe shim_curl_set_receiver(handle, CURLOPT_WRITEFUNCTION, receiveBody)
        _ = unsafe shim_curl_set_address(handle, CURLOPT_PREREQDATA, context)
        _ = unsafe shim_curl_set_check(handle, checkServer)
        _ = unsafe shim_curl_set_address(handle, CURLOPT_ERRORBUFFER, words)
    }

    private func setText(_ option: CURLoption, to text: String) {
        _ = unsafe shim_curl_set_text(handle, option, text)
    }

    private func setNumber(_ option: CURLoption, to number: Int) {
        _ = unsafe shim_curl_set_number(handle, option, number)
    }

    // MARK: The outcome

    /// The outcome of a transfer that has ended with a curl code.
    func outcome(_ code: CURLcode, from address: RemoteAddress, limits: RemoteDocument.Limits) -> FetchOutcome {
        let refusal = FetchRefusal(address: address, limits: limits, redirect: redirect)
        let status = reception.head.status
        if let cut = reception.cut ?? cut(by: code) { return failed(refusal.ofCut(cut)) }
        // A transfer whose body is not read ends with `CURLE_WRITE_ERROR`.
        guard code == CURLE_OK || (code == CURLE_WRITE_ERROR && status != 200) else {
            return failed(refusal.ofTransfer(code, words: reason(of: code), system: systemError, status: status))
        }
        switch status {
        case 200 where !reception.isComplete:
            return failed(refusal.ofTransfer(CURLE_PARTIAL_FILE, words: "", system: 0, status: status))
        case 200: return reception.takeDocument().map { .fetched($0) } ?? failed(refusal.ofNothing)
        case 304 where !request.validators.isEmpty: return .confirmed(isWaitApplied: reception.head.isWaitApplied)
        default: return failed(refusal.ofStatus(status))
        }
    }

    /// The cut by curl itself, if a header line exceeds curl's buffer; nil for other codes. Older releases of curl
    /// report `CURLE_OUT_OF_MEMORY`. Newer releases report `CURLE_TOO_LARGE` (100), which the headers of older releases
    /// do not define.
    private func cut(by code: CURLcode) -> Reception.Cut? {
        let isTooLong = code == CURLE_OUT_OF_MEMORY || code.rawValue == 100
        return isTooLong && !reception.head.isComplete ? .lineTooLong : nil
    }

    /// The URL to which the origin redirected the request; nil without a redirect.
    private var redirect: String? {
        guard unsafe shim_curl_number(handle, CURLINFO_REDIRECT_COUNT) > 0,
            let text = unsafe shim_curl_text(handle, CURLINFO_EFFECTIVE_URL)
        else { return nil }
        // A query may contain a key that is valid for one request only.
        return RemoteAddress.shown(unsafe String(cString: text)).split(separator: "?").first.map(String.init)
    }

    private func failed(_ error: SourceError) -> FetchOutcome {
        let seconds = unsafe shim_curl_large_number(handle, CURLINFO_RETRY_AFTER)
        return .failed(error, retryAfter: seconds > 0 ? .seconds(seconds) : nil)
    }

    private var systemError: Int32 { Int32(truncatingIfNeeded: unsafe shim_curl_number(handle, CURLINFO_OS_ERRNO)) }

    private func reason(of code: CURLcode) -> String {
        let told = unsafe String(cString: words)
        let text = told.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : told
        return text.last == "." ? String(text.dropLast()) : text
    }
}
