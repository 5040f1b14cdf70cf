-- Appends one batch to a log, or nothing (docs/adr/0002-append-script.md).
--
-- KEYS  1 meta  2 producers  3 segments  4 stream to write to  5 its times index
--       6 stream that is sealed first (when rolling only)
-- ARGV  1 incarnation  2 open segment  3 last id expected ('' for none)  4 number of writers
--       5 milliseconds of the first id  6 its sequence  7 how many entries still fit its millisecond
--       8 entries per millisecond  9 number of entries  10 their bytes  11 smallest timestamp
--       12 largest timestamp  13 id of the first entry that has it  14 fields of every entry as a bit mask, 0 when each
--       entry is led by its own  15 number of the segment to open ('' to stay)  16 the caller's clock
--       17.. per writer: id, expected state, new state; then the entries' fields in the order of the mask
-- Answer  {0} fenced
--         {1, last id before the batch, log start, entries of the segment, bytes of the segment}
--         {2, meta, segments, state of each writer} stale, nothing written
--@include names.lua
--@include seal-row.lua
--@include above.lua
local call, argv, keys = redis.call, ARGV, KEYS
local meta, producers, stream, times = keys[1], keys[2], keys[4], keys[5]
local first_field = 17 + 3 * argv[4]
local index_every = 262144

local m = call('HMGET', meta, 'incarnation', 'segment', 'last', 'start', 'entries', 'bytes', 'min_timestamp',
  'max_timestamp')
if m[1] ~= argv[1] then
  return {0}
end

local function stale()
  local answer = {2, call('HGETALL', meta), call('HGETALL', keys[3])}
  for i = 17, first_field - 3, 3 do
    answer[#answer + 1] = call('HGET', producers, argv[i]) or ''
  end
  return answer
end

if m[2] ~= argv[2] or (m[3] or '') ~= argv[3] then
  return stale()
end
for i = 17, first_field - 3, 3 do
  if (call('HGET', producers, argv[i]) or '') ~= argv[i + 1] then
    return stale()
  end
end

-- Takes into the bookkeeping what other clients did to a stream; answers the log's true end. Only an id above the end moves
-- it (an empty segment lets others write below it), and in a log of dense offsets only one that is an offset itself, 1-n.
local dense = tonumber(argv[8]) > 65536
local function counts(id)
  return not dense or #id < 21 and string.sub(id, 1, 2) == '1-'
end
local function absorb(of)
  local info, top = redis.pcall('XINFO', 'STREAM', of), nil
  if not info.err then
    for i = 1, #info, 2 do
      if info[i] == 'last-generated-id' and info[i + 1] ~= '0-0' then
        top = info[i + 1]
      end
    end
  end
  call('HSET', meta, 'entries', string.format('%.0f', call('XLEN', of)))
  local oldest = call('XRANGE', of, dense and m[3] and '(' .. m[3] or '-', '+', 'COUNT', 1)[1]
  if oldest and counts(oldest[1]) then
    call('HSETNX', meta, 'first', oldest[1])
    call('HSETNX', meta, 'opened', argv[16])
  end
  if not top or not counts(top) or m[3] and not above(top, m[3]) then
    return m[3]
  end
  call('HSET', meta, 'last', top)
  if oldest and not dense then
    local top_ms = string.match(top, '^%d+')
    call('HSETNX', meta, 'min_timestamp', string.match(oldest[1], '^%d+'))
    if not m[8] or tonumber(m[8]) < tonumber(top_ms) then
      call('HSET', meta, 'max_timestamp', top_ms, 'max_timestamp_id', top)
    end
  end
  return top
end

local entries, bytes, previous = tonumber(m[5]), tonumber(m[6]), m[3]
local roll = argv[15] ~= ''
local strangers = false
local seal
if roll then
  call('HLEN', keys[3])
  if entries == 0 then
    return stale()
  end
  local length = call('XLEN', keys[6])
  if absorb(keys[6]) ~= previous or length ~= entries then
    return stale()
  end
  seal = seal_row(meta)
  call('UNLINK', stream, times)
  entries, bytes = 0, 0
  m[7], m[8] = false, false
elseif call('XLEN', stream) ~= entries then
  strangers = true
  previous = absorb(stream)
  m = call('HMGET', meta, 'incarnation', 'segment', 'last', 'start', 'entries', 'bytes', 'min_timestamp',
    'max_timestamp')
  entries = tonumber(m[5])
end

-- Each time the segment's bytes pass a multiple of this, the batch that does so gets a point in the times index.
local into_interval = bytes % index_every + argv[10]
local point = into_interval >= index_every and entries > 0 and m[8]
if point then
  call('ZCARD', times)
end

-- One function per shape that adds the entry whose fields begin at argv[p]; explicit arguments spare a table per entry.
local function adder(mask)
  local n, a, b, c, d = 2, 'value', 'timestamp', nil, nil
  if mask == '11' then
    n, b, c = 3, 'key', 'timestamp'
  elseif mask ~= '9' then
    local names = fields_of(mask)
    n, a, b, c, d = #names, names[1], names[2], names[3], names[4]
  end
  if n == 1 then
    return function(run, id, p) return run('XADD', stream, id, a, argv[p]) end, 1
  elseif n == 2 then
    return function(run, id, p) return run('XADD', stream, id, a, argv[p], b, argv[p + 1]) end, 2
  elseif n == 3 then
    return function(run, id, p) return run('XADD', stream, id, a, argv[p], b, argv[p + 1], c, argv[p + 2]) end, 3
  elseif n == 4 then
    return function(run, id, p)
      return run('XADD', stream, id, a, argv[p], b, argv[p + 1], c, argv[p + 2], d, argv[p + 3])
    end, 4
  end
  local names = fields_of(mask)
  return function(run, id, p)
    local fields = {}
    for i = 1, n do
      fields[2 * i - 1] = names[i]
      fields[2 * i] = argv[p + i - 1]
    end
    return run('XADD', stream, id, unpack(fields))
  end, n
end

local add, width
if argv[14] == '0' then
  local adders = {}
  width = 1
  add = function(run, id, p)
    local mask = argv[p]
    local known = adders[mask]
    if not known then
      local fn, n = adder(mask)
      known = {fn, n}
      adders[mask] = known
    end
    width = known[2] + 1
    return known[1](run, id, p + 1)
  end
else
  add, width = adder(argv[14])
end

-- The first entry goes first of all: its refusal is the guard against entries of others, and nothing is written then.
local ms, seq = argv[5], argv[6]
local first = ms .. '-' .. seq
local last = add(redis.pcall, first, first_field)
if type(last) == 'table' then
  if not roll and not string.find(last.err, 'OOM', 1, true) and not string.find(last.err, 'WRONGTYPE', 1, true) then
    if (absorb(stream) or '') ~= argv[3] then
      return stale()
    elseif dense then
      return redis.error_reply('ERR entries that another client wrote lie beyond the end of this log of dense offsets,'
        .. ' nothing can be appended behind them: remove them with XDEL and set the id back with XSETID, or use a new topic')
    end
  end
  return last
end

-- The others. Redis gives the sequence itself where it can ("<ms>-*", since 7.0), which spares a number format each.
local star = redis.REDIS_VERSION_NUM
local count, per_ms, fit = tonumber(argv[9]), tonumber(argv[8]), tonumber(argv[7]) - 1
local p = first_field + width
local left, next_seq = count - 1, tonumber(seq) + 1
while left > 0 do
  if fit == 0 then
    ms, next_seq, fit = string.format('%.0f', tonumber(ms) + 1), 0, per_ms
  end
  local now = left < fit and left or fit
  if star then
    local id = ms .. '-*'
    -- The two usual shapes are spelt out: a call of a function per entry would cost a tenth of the append.
    if argv[14] == '9' then
      for _ = 1, now do
        last = call('XADD', stream, id, 'value', argv[p], 'timestamp', argv[p + 1])
        p = p + 2
      end
    elseif argv[14] == '11' then
      for _ = 1, now do
        last = call('XADD', stream, id, 'value', argv[p], 'key', argv[p + 1], 'timestamp', argv[p + 2])
        p = p + 3
      end
    else
      for _ = 1, now do
        last = add(call, id, p)
        p = p + width
      end
    end
  else
    local prefix = ms .. '-'
    for i = next_seq, next_seq + now - 1 do
      last = add(call, prefix .. string.format('%.0f', i), p)
      p = p + width
    end
  end
  left, fit = left - now, 0
end

-- The bookkeeping; none of it can be refused any more.
if roll then
  call('HSET', keys[3], argv[2], seal)
  call('HSET', meta, 'segment', argv[15])
end
if point then
  call('ZREMRANGEBYSCORE', times, m[8], m[8])
  call('ZADD', times, m[8], first)
end
if entries == 0 then
  call('HSET', meta, 'first', first, 'opened', argv[16])
elseif strangers then
  call('HSETNX', meta, 'first', first)
  call('HSETNX', meta, 'opened', argv[16])
end
if not m[7] or tonumber(argv[11]) < tonumber(m[7]) then
  call('HSET', meta, 'min_timestamp', argv[11])
end
entries, bytes = entries + count, bytes + tonumber(argv[10])
if not m[8] or tonumber(argv[12]) > tonumber(m[8]) then
  call('HSET', meta, 'last', last, 'entries', string.format('%.0f', entries), 'bytes', string.format('%.0f', bytes),
    'max_timestamp', argv[12], 'max_timestamp_id', argv[13])
else
  call('HSET', meta, 'last', last, 'entries', string.format('%.0f', entries), 'bytes', string.format('%.0f', bytes))
end
for i = 17, first_field - 3, 3 do
  call('HSET', producers, argv[i], argv[i + 2])
end
return {1, previous or '', m[4], entries, bytes}
