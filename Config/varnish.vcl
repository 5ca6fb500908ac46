# drilldown behind Varnish (7.1 in Debian 12): clients that follow the same thing share one request at the service.
#
#   varnishd -a :80 -f /etc/varnish/drilldown.vcl
#
# The service listens on 127.0.0.1:8080. There it answers only to localhost and to the names that it is told: start it with
# --hosts and the names that clients use.
vcl 4.1;

backend default {
    .host = "127.0.0.1";
    .port = "8080";
    # Longer than the longest wait of a long poll, 300 seconds.
    .first_byte_timeout = 310s;
    .between_bytes_timeout = 60s;
}

# Varnish's own rules come after these. They keep what the service's Cache-Control allows, collapse requests for the same
# link, and let requests with a token and edits pass.

sub vcl_recv {
    # A link that follows has since, wait and format. Another request that waits needs its If-None-Match, which Varnish
    # removes from all requests that do not pass.
    if (req.url !~ "[?&]since=" || req.url !~ "[?&]wait=" || req.url !~ "[?&]format=") {
        if (req.http.Accept ~ "text/event-stream") { return (pipe); }
        if (req.http.Prefer ~ "(?i)wait" || req.url ~ "[?&](wait|since)=") { return (pass); }
    }
}

sub vcl_backend_response {
    # By its own rules, Varnish lets each client through for 120 seconds after a 503.
    if (beresp.status == 503 && beresp.http.Cache-Control ~ "s-maxage=1") {
        set beresp.ttl = 1s;
        set beresp.grace = 0s;
        return (deliver);
    }
}
