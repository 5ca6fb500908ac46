-- Asks for the targets of a file in random order, one per line; the file's name is wrk's argument after "--".
local targets = {}

function init(arguments)
   for line in io.lines(arguments[1]) do
      targets[#targets + 1] = wrk.format("GET", line)
   end
   math.randomseed(4711)
end

function request()
   return targets[math.random(#targets)]
end
