-- What a log looks like at one moment.
-- KEYS  1 meta  2 segments
-- Answer  {meta, segments}
return {redis.call('HGETALL', KEYS[1]), redis.call('HGETALL', KEYS[2])}
