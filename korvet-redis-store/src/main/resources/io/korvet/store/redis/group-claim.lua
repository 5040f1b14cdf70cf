-- Whether who claimed a group with an epoch may change it.
-- Answer  0 no: it was claimed since; 1 yes; 2 yes, and the claim is not stored yet; and the number of the last change of
-- positions under this claim
local function claim_of(group, epoch)
  local stored = redis.call('HMGET', group, 'epoch', 'commits')
  if stored[1] == epoch then
    return 1, tonumber(stored[2] or '0')
  end
  if stored[1] then
    return tonumber(stored[1]) < tonumber(epoch) and 2 or 0, 0
  end
  -- A claim is kept for more than an hour: what is missing and younger than that was never stored, or Redis has lost it.
  local age = tonumber(redis.call('TIME')[1]) - tonumber(epoch) / 1000000
  return age < 3600 and 2 or 0, 0
end

-- Stores a claim by redis.call or redis.pcall; changes of positions under it are counted anew. Answers whether it could.
local function store_claim(call, group, epoch)
  local written = call('HSET', group, 'epoch', epoch)
  if type(written) == 'table' then
    return false
  end
  redis.call('HDEL', group, 'commits')
  return true
end

-- A claim of a group without members and positions goes after an hour and a minute.
local function keep_claim(group, positions)
  if redis.call('HEXISTS', group, 'state') == 1 or redis.call('EXISTS', positions) == 1 then
    redis.call('PERSIST', group)
  else
    redis.call('EXPIRE', group, 3660)
  end
end
