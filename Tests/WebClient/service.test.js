import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

const {addressOf} = await import('../../Sources/WebClient/elements.js')
const {connection, live, request, token} = await import('../../Sources/WebClient/service.js')

test('changes are followed by the link of each answer; anything may have changed when this begins anew', async () => {
  const heard = [], asked = [], caches = new Set()
  const entries = (follow, ...revisions) => ({changes: revisions.map(revision => ({revision})), follow: '/changes?since=' + follow})
  const answers = [entries('a-1'), entries('a-3', 'a-2', 'a-3'), entries('a-3&turn=7'), 500, 410, entries('b-7'), 404, entries('b-9'), 401]
  for (const type of ['reset', 'change', 'beat']) live.addEventListener(type, event => heard.push(event.detail?.revision ?? type))
  globalThis.fetch = async (target, {cache}) => {
    asked.push(target.slice(target.indexOf('/changes') + 8))
    caches.add(cache)
    const answer = answers.shift()
    return answer > 0 ? new Response('{}', {status: answer}) : Response.json(answer)
  }
  await live.follow()
  assert.deepEqual(heard, ['reset', 'beat', 'a-2', 'a-3', 'beat', 'reset', 'beat', 'reset', 'beat'])
  assert.deepEqual(asked, ['', '?since=a-1', '?since=a-3', '?since=a-3&turn=7', '?since=a-3', '', '?since=b-7', '', '?since=b-9'])
  assert.deepEqual([[...caches], live.latest], [['no-store'], {revision: 'a-3'}])
})

test('while the connection is lost no request waits for a change', async () => {
  const asked = [], states = [], entries = turn => ({changes: [], follow: `/changes?since=a-1&wait=20&format=json&turn=${turn}`})
  const answers = [entries(1), new TypeError('reset'), 503, entries(2), 500, entries(3), 401]
  globalThis.fetch = async target => {
    asked.push(target.slice(target.indexOf('/changes') + 8))
    states.push(connection.isLost)
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    return answer > 0 ? new Response('{}', {status: answer}) : Response.json(answer)
  }
  await live.follow()
  const since = '?since=a-1', wait = '?since=a-1&wait=20&format=json'
  assert.deepEqual(asked, ['', wait + '&turn=1', since + '&format=json', since + '&format=json', wait + '&turn=2', since + '&format=json', wait + '&turn=3'])
  assert.deepEqual(states, [false, false, true, true, false, true, false])
})

test('after a refusal or an answer that cannot be used, /changes begins anew after a pause', async t => {
  const asked = [], pauses = [], {pause} = connection, entries = {changes: [], follow: '/changes?since=a-1'}
  t.after(() => connection.pause = pause)
  connection.pause = async (attempt, {retryAfter}) => pauses.push([attempt, retryAfter ?? null])
  const answers = [entries, {}, {changes: []}, {changes: []}, entries, 429, null, 401]
  globalThis.fetch = async target => {
    asked.push(target.slice(target.indexOf('/changes') + 8))
    const answer = answers.shift()
    return answer > 0 ? new Response('{}', {status: answer, headers: {'Retry-After': '7'}}) : Response.json(answer)
  }
  await live.follow()
  assert.deepEqual(asked, ['', '?since=a-1', '', '', '', '?since=a-1', '', ''])
  assert.deepEqual(pauses, [[0, null], [1, null], [2, null], [0, 7], [1, null]])
})

test('an answer without a change and without a wait is followed after a pause, longer each time', async t => {
  const pauses = [], {pause} = connection, {now} = performance, same = {changes: [], follow: '/changes?since=a-1'}
  t.after(() => {
    performance.now = now
    connection.pause = pause
  })
  connection.pause = async (attempt, failure) => pauses.push([attempt, failure])
  const answers = [same, same, same, {changes: [{}], follow: same.follow}, same, 'late', same, 401]
  let clock = 0
  performance.now = () => clock
  globalThis.fetch = async () => {
    if (answers[0] === 'late') clock += 1000 * Boolean(answers.shift())
    const answer = answers.shift()
    return answer > 0 ? new Response('{}', {status: answer}) : Response.json(answer)
  }
  await live.follow()
  assert.deepEqual([pauses, answers], [[[0, {}], [1, {}], [0, {}]], []])
})

test('a hidden page gives up its wait, and goes on with the same link when it is seen', async t => {
  const asked = [], {addEventListener} = document, answers = [Response.json({changes: [], follow: '/changes?since=a-1'})]
  t.after(() => Object.assign(document, {hidden: false, addEventListener}))
  let show
  document.addEventListener = (_, action) => {
    if (document.hidden) setImmediate(() => Object.assign(document, {hidden: false}), setImmediate(action))
    else show = action
  }
  globalThis.fetch = (target, {signal}) => new Promise((resolve, reject) => {
    asked.push(target.slice(target.indexOf('/changes') + 8))
    if (asked.length === 3) resolve(new Response('{}', {status: 401}))
    else if (answers.length) resolve(answers.shift())
    else {
      signal.addEventListener('abort', () => reject(signal.reason))
      document.hidden = true
      show()
    }
  })
  await live.follow()
  assert.deepEqual(asked, ['', '?since=a-1', '?since=a-1'])
})

test('where caches may keep answers, a level or detail is read with the latest revision, so that it is not older', async t => {
  let asked = [], kept = 'public, s-maxage=30'
  t.after(() => live.revision = null)
  globalThis.fetch = async target => {
    asked.push(target.slice(target.search(/\/(levels|detail|readyz)/)))
    return Response.json({}, {headers: {'Cache-Control': kept}})
  }
  const ask = async (...requests) => {
    asked = []
    for (const [target, Accept] of requests) await request(target, {...(Accept && {headers: {Accept}})})
    return asked
  }
  const requests = [['/levels/'], ['/levels/A?q=x'], ['/detail/A', 'application/x-plist'], ['/detail/A', '*/*'], ['/readyz']]
  const plain = requests.map(([target]) => target), since = 'since=a-7&wait=1&format='
  live.revision = 'a-7'
  kept = 'no-cache'
  assert.deepEqual(await ask(...requests), plain)
  live.revision = null
  kept = 'public, s-maxage=30'
  assert.deepEqual(await ask(...requests), plain)
  live.revision = 'a-7'
  assert.deepEqual(await ask(...requests), ['/levels/?' + since + 'json', '/levels/A?q=x&' + since + 'json', '/detail/A?' + since + 'plist', '/detail/A', '/readyz'])
})

test('a link that could lead to another host is not asked', async () => {
  globalThis.fetch = () => assert.fail('asked')
  for (const link of ['.evil/levels/', '@evil/', '//evil/', '/\\evil/', '/\t/evil/', 'https://evil/', '', undefined]) {
    const message = `'${link}' is not a link of this service.`
    assert.throws(() => addressOf(link), {message})
    await assert.rejects(request(link), {message})
  }
})

test('after 401 a request asks for a token, unless the token is another one meanwhile', async t => {
  const {ask} = token, {getItem} = sessionStorage, purposes = [], sent = []
  let own = null, given = 'a', meanwhile = null
  t.after(() => Object.assign(token, {ask}) && Object.assign(sessionStorage, {getItem}))
  sessionStorage.getItem = () => own
  token.ask = async purpose => purposes.push(purpose) && (own = given)
  globalThis.fetch = async (_, {headers}) => {
    sent.push(headers.Authorization ?? null)
    own = meanwhile ?? own
    return new Response('{}', {status: sent.at(-1) === `Bearer ${own}` ? 200 : 401})
  }
  await request('/levels/')
  meanwhile = 'b'
  await request('/levels/')
  own = given = meanwhile = null
  await assert.rejects(request('/levels/'), {status: 401})
  assert.deepEqual([sent, purposes], [[null, 'Bearer a', 'Bearer a', 'Bearer b', null], ['reading', 'reading']])
})

test('a request is repeated until the service answers, and an answer that cannot be read three more times', async () => {
  const pauses = [], json = '{"count": 5}', reset = [undefined, undefined]
  connection.pause = async (attempt, {status, retryAfter}) => pauses.push([attempt, status, retryAfter])
  const answers = [502, 503, 504, json]
  globalThis.fetch = async () => {
    const answer = answers.shift()
    if (!answer) throw new TypeError('no network')
    return new Response(answer > 0 ? '{}' : answer, {status: answer > 0 ? answer : 200, headers: answer === 503 ? {'Retry-After': '7'} : {}})
  }
  assert.deepEqual(await request('/levels/'), {count: 5})
  answers.push(0, 0, json)
  assert.deepEqual(await request('/levels/'), {count: 5})
  answers.push('<', '<', '<', '<', json)
  await assert.rejects(request('/levels/'), {status: 200, message: 'The answer is not what was asked for.'})
  assert.deepEqual(pauses, [[0, 502, null], [1, 503, 7], [2, 504, null], ...[0, 1, 0, 1, 2].map(attempt => [attempt, ...reset])])
  assert.equal(answers.length, 1)
  answers.unshift(500)
  await assert.rejects(request('/levels/'), {status: 500})
})
