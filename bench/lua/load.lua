-- One script for every workload. What to send stands in a file, so that every server gets the same requests:
--   line 1  every how many requests one is a write; 0 for none
--   line 2  the verb of a write
--   line 3  the body of a write; {n} in it becomes a number that is new each time, also in the path of a read
--   line 4  the first of these numbers, ten digits
--   line 5  how many paths to write to follow
--   line 6  which of the paths to read comes first
--   then the paths to write to, then the paths to read
local reads, heads, tails = {}, {}, {}
local every, number, count, next_read, next_write = 0, 0, 0, 0, 0

function init(args)
  local lines = {}
  for line in io.lines(args[1]) do lines[#lines + 1] = line end
  every = tonumber(lines[1])
  number = tonumber(lines[4])
  local writes = tonumber(lines[5])
  local headers = { ['Content-Type'] = 'application/json' }
  for name, value in pairs(wrk.headers) do headers[name] = value end
  for index = 7, 6 + writes do
    local whole = wrk.format(lines[2], lines[index], headers, lines[3])
    -- As long as the number that takes its place: the head says how long the body is.
    local from, to = whole:find('{n}0000000', 1, true)
    heads[#heads + 1] = whole:sub(1, from - 1)
    tails[#tails + 1] = whole:sub(to + 1)
  end
  for index = 7 + writes, #lines do
    local whole = wrk.format('GET', lines[index])
    local from, to = whole:find('{n}', 1, true)
    reads[#reads + 1] = from and { whole:sub(1, from - 1), whole:sub(to + 1) } or whole
  end
  next_read = tonumber(lines[6])
end

local function write()
  number = number + 1
  next_write = next_write % #heads + 1
  return heads[next_write] .. string.format('%010d', number) .. tails[next_write]
end

function request()
  if every > 0 then
    count = count + 1
    if count >= every then
      count = 0
      return write()
    end
  end
  next_read = next_read % #reads + 1
  local read = reads[next_read]
  if type(read) == 'string' then return read end
  number = number + 1
  return read[1] .. string.format('%010d', number) .. read[2]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"micros":%d,"p50":%d,"p99":%d,"bytes":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), summary.bytes,
    errors.status,
    errors.connect + errors.read + errors.write + errors.timeout
  ))
end
