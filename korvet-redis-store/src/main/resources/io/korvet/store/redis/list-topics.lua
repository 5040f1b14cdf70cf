-- All topics at one moment.
-- KEYS  1 topics  2 version
-- Answer  {version, rows}
return {redis.call('GET', KEYS[2]) or '0', redis.call('HVALS', KEYS[1])}
