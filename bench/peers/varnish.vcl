# Answers from its cache; what fills it is the bare server. {…} is put in by peers.ts.
vcl 4.1;
backend origin { .host = "127.0.0.1"; .port = "{origin}"; }

sub vcl_recv {
  return (hash); # credentials would pass the cache by otherwise
}

sub vcl_backend_response {
  set beresp.ttl = 1h;
  set beresp.do_gzip = false;
  set beresp.do_gunzip = false;
  return (deliver); # a cookie would keep it out of the cache otherwise
}

sub vcl_deliver {
  unset resp.http.age;
  unset resp.http.via;
  unset resp.http.x-varnish;
  unset resp.http.accept-ranges;
  set resp.http.keep-alive = "timeout={keepAlive}";
}
