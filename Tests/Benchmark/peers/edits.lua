-- Sends an edit of a target from a file at random, each with a number of its own in its body.
-- Arguments after "--": the method, the file of targets (one per line), the body with %s for the number, and headers as
-- "Name: value".
local targets, method, body, edit = {}, nil, nil, 0

function init(arguments)
   method = arguments[1]
   for line in io.lines(arguments[2]) do
      targets[#targets + 1] = line
   end
   body = arguments[3]
   for place = 4, #arguments do
      local name, value = arguments[place]:match("^([^:]+): (.*)$")
      wrk.headers[name] = value
   end
   math.randomseed(4711)
end

function request()
   edit = edit + 1
   -- Also eight characters of base64, for peers that want their values in it.
   return wrk.format(method, targets[math.random(#targets)], nil, string.format(body, string.format("%08d", edit)))
end
