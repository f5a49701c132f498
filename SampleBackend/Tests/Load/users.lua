-- Requests of 100,000 users, one after the other, with the signals that an app sends.
local number = 0
local header = os.getenv("IF_NONE_MATCH")
function request()
    local path = os.getenv("REQUEST_PATH")
    if not path then
        number = (number + 1) % 100000
        path = "/activeconfig/user/user-" .. number
            .. "?app.version=2.3.1&device.os=ios&device.country=JP&device.language=ja"
            .. "&signal.plan=gold&signal.level=42&signal.city=Tokyo"
    end
    local headers = {}
    if header then headers["If-None-Match"] = header end
    return wrk.format("GET", path, headers)
end

function done(summary, latency)
    local errors = summary.errors.status + summary.errors.connect + summary.errors.read
        + summary.errors.write + summary.errors.timeout
    io.write(string.format("RESULT %f %d %d\n",
        summary.requests / (summary.duration / 1e6), latency:percentile(99), errors))
end
