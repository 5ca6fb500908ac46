import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

const {concerns, Drilldown, Problem, version} = await import('../../Sources/WebClient/drilldown.js')

test('the version is semantic', () => assert.match(version, /^\d+\.\d+\.\d+$/))

test('an entry concerns the levels that it names and those whose rows have other fields, and what is below only if that is asked for', () => {
  const entry = {levels: ['/levels/A/B'], details: ['/detail/C/D']}
  assert.deepEqual(['/levels/A/B', '/levels/A/B/', '/levels/A', '/levels/', '/levels/C', '/levels/C/D'].map(href => concerns(entry, href)),
    [true, true, false, false, true, false])
  assert.deepEqual(['/levels/', '/levels/A', '/levels/A/B/C', '/levels/Ax', '/levels/C/D'].map(href => concerns(entry, href, {below: true})),
    [true, true, false, false, false])
  assert.equal(concerns({levels: [], details: ['/detail/C']}, '/levels/'), true)
  assert.equal(concerns({levels: ['/music/levels/A'], details: []}, '/levels/A'), true)
  assert.equal(concerns(entry, '/music/levels/A/B'), true)
  assert.equal(concerns({truncated: true, levels: [], details: []}, '/levels/Z'), true)
})

// Answers requests in turn, and keeps what was asked.
function answering(...answers) {
  const asked = []
  globalThis.fetch = async (address, {method, headers, body}) => {
    asked.push([method, address, headers['If-Match'], body])
    const [status, content] = answers.shift()
    return new Response(JSON.stringify(content), {status})
  }
  return asked
}

const service = () => new Drilldown({address: 'http://host/music/', token: 'secret', store: null})
const first = {href: '/detail/First', fieldsVersion: 'v1', fields: {Note: 'a', Other: 1}}

test('options are added to those of a link, which may have the path of the address', async () => {
  const asked = answering([200, {}], [200, {}], [200, {}])
  await service().get('/levels/', {q: 'a b'})
  await service().get('/music/levels/?limit=2', {sort: '-Title'})
  await service().get('/levels/')
  assert.deepEqual(asked.map(each => each[1]), ['/levels/?q=a+b', '/levels/?limit=2&sort=-Title', '/levels/'].map(link => 'http://host/music' + link))
})

test('a save is repeated where other fields were changed', async () => {
  const asked = answering([412, {}], [200, {...first, fieldsVersion: 'v2', fields: {Note: 'a', Other: 2}}], [200, {saved: true}])
  assert.deepEqual(await service().save(first, {Note: 'b'}), {saved: true})
  assert.deepEqual(asked.map(each => [each[0], each[2], each[3]]), [['PATCH', '"v1"', '{"Note":"b"}'], ['GET', undefined, undefined], ['PATCH', '"v2"', '{"Note":"b"}']])
})

test('a save of a field that was changed is refused with the present detail, also where it was removed', async () => {
  for (const [fields, now] of [[{Note: 'b'}, {Note: 'c', Other: 1}], [{Note: 'b'}, {Other: 1}], [{Note: null}, {Note: 'c'}]]) {
    answering([412, {detail: 'It is another now.'}], [200, {...first, fields: now}])
    await assert.rejects(service().save(first, fields), error => {
      assert.deepEqual([error instanceof Problem, error.status, error.message, error.fields, error.theirs.fields], [true, 412, 'It is another now.', ['Note'], now])
      return true
    })
  }
})

test('a save of a value that is there already is no conflict', async () => {
  answering([412, {}], [200, {...first, fieldsVersion: 'v2', fields: {Note: 'b', Other: 1}}], [200, {saved: true}])
  assert.deepEqual(await service().save(first, {Note: 'b'}), {saved: true})
})

test('a deletion has no answer', async () => {
  globalThis.fetch = async () => new Response(null, {status: 204})
  assert.equal(await service().send('DELETE', '/detail/First'), null)
})

// Answers `/changes` in turn, and then never again; everything else with `contents`, by its link. Keeps what was asked.
function changing(contents, ...changes) {
  const asked = []
  globalThis.fetch = async (address, {headers}) => {
    const link = address.replace('http://host/music', '')
    asked.push(link)
    if (!link.startsWith('/changes')) return new Response(JSON.stringify(contents[link]))
    const change = await changes.shift()
    return change ? new Response(JSON.stringify({revision: `r${4 - changes.length}`, changes: change})) : new Promise(() => {})
  }
  return asked
}

// What a watch shows, as promises in turn.
function shown(link, query) {
  const waiting = [], answers = []
  const next = () => new Promise(resolve => answers.length ? resolve(answers.shift()) : waiting.push(resolve))
  service().watch(link, answer => waiting.length ? waiting.shift()(answer) : answers.push(answer), query)
  return next
}

test('a watch reads its level again when the fields of a row are others, and not for another level', async () => {
  const contents = {'/levels/A?fields=Price': {version: 'v1'}}
  let change
  const changed = new Promise(resolve => change = () => resolve([{levels: [], details: ['/detail/A/B']}]))
  const asked = changing(contents, [], [{levels: [], details: ['/detail/B/C']}], changed)
  const next = shown('/levels/A', {fields: 'Price'})
  assert.deepEqual(await next(), {version: 'v1'})
  contents['/levels/A?fields=Price'] = {version: 'v2'}
  change()
  assert.deepEqual(await next(), {version: 'v2'})
  assert.deepEqual(asked.sort(), ['/changes', '/changes?since=r2&wait=30', '/changes?since=r3&wait=30', '/changes?since=r4&wait=30',
    '/levels/A?fields=Price', '/levels/A?fields=Price'])
})

// A service whose answers are given by hand: `answer(link, response)` waits until the link is asked for. `waits` are the
// seconds of its pauses, which are over at once or, with `isPatient`, never.
function byHand(t, {isPatient = false, ...options} = {}) {
  const requests = [], wanted = [], waits = [], {setTimeout: real} = globalThis
  t.after(() => Object.assign(globalThis, {setTimeout: real}))
  const pair = () => {
    for (const want of [...wanted]) {
      const index = requests.findIndex(({link}) => want.link.test(link))
      if (index < 0) continue
      wanted.splice(wanted.indexOf(want), 1)
      want.resolve(requests.splice(index, 1)[0])
    }
  }
  globalThis.setTimeout = (action, milliseconds) => {
    waits.push(milliseconds / 1000)
    return isPatient ? null : real(action, 0)
  }
  globalThis.fetch = (address, {headers}) => new Promise((resolve, reject) => {
    requests.push({link: address.replace('http://host/music', ''), token: headers.Authorization, resolve, reject})
    pair()
  })
  const asked = link => new Promise(resolve => {
    wanted.push({link, resolve})
    pair()
  })
  const answer = async (link, content, {status = 200, headers = {}} = {}) => {
    const request = await asked(link)
    if (content instanceof Error) request.reject(content)
    else request.resolve(new Response(typeof content === 'string' ? content : JSON.stringify(content), {status, headers}))
    return request
  }
  const client = new Drilldown({address: 'http://host/music/', store: null, ...options})
  const watch = (link, query) => {
    const waiting = [], shown = []
    const end = client.watch(link, (...each) => waiting.length ? waiting.shift()(each) : shown.push(each), query)
    return {end, next: () => new Promise(resolve => shown.length ? resolve(shown.shift()) : waiting.push(resolve))}
  }
  return {answer, asked, client, requests, waits, watch}
}

const revision = (name, ...changes) => ({revision: name, changes})
const CHANGES = /^\/changes/, LEVEL = /^\/levels/

test('a failed read of a watched level is repeated: after a lost connection, and when the server says', async t => {
  const {answer, waits, watch} = byHand(t)
  const {next} = watch('/levels/A')
  await answer(CHANGES, revision('r1'))
  await answer(LEVEL, new TypeError('reset'))
  assert.deepEqual(await next(), [null, {isLost: true}])
  await answer(LEVEL, {title: 'Too busy', detail: 'Try again.'}, {status: 503, headers: {'Retry-After': '7'}})
  assert.deepEqual((await next())[1].problem.message, 'Try again.')
  await answer(LEVEL, '<p>a proxy</p>')
  assert.deepEqual(await next(), [null, {isLost: true}])
  await answer(LEVEL, {version: 'v1'})
  assert.deepEqual(await next(), [{version: 'v1'}, {}])
  const within = (wait, least) => wait >= least && wait <= least * 1.5
  assert.deepEqual(waits.filter(wait => wait < 20).map((wait, attempt) => within(wait, [1, 7, 4][attempt])), [true, true, true])
})

test('after a failed read the same answer is shown again, so that the page can take its notice away', async t => {
  const {answer, watch} = byHand(t)
  const {next} = watch('/levels/A')
  await answer(CHANGES, revision('r1'))
  await answer(LEVEL, {version: 'v1'})
  await next()
  await answer(CHANGES, revision('r2', {levels: ['/levels/A'], details: []}))
  await answer(LEVEL, {}, {status: 503})
  assert.equal((await next())[1].problem.status, 503)
  await answer(LEVEL, {version: 'v1'})
  assert.deepEqual(await next(), [{version: 'v1'}, {}])
})

test('a refusal is not repeated, but the level is read again when it changes', async t => {
  const {answer, asked, requests, watch} = byHand(t)
  const {next} = watch('/levels/A')
  await answer(CHANGES, revision('r1'))
  await answer(LEVEL, {}, {status: 404})
  assert.equal((await next())[1].problem.status, 404)
  const change = await asked(CHANGES)
  assert.deepEqual(requests, [])
  change.resolve(new Response(JSON.stringify(revision('r2', {levels: ['/levels/A'], details: []}))))
  await answer(LEVEL, {version: 'v1'})
  assert.deepEqual(await next(), [{version: 'v1'}, {}])
})

test('an exception of the page is reported, and the watches go on', async t => {
  const {answer, client} = byHand(t), reported = [], shown = []
  globalThis.reportError = error => reported.push(error.message)
  t.after(() => delete globalThis.reportError)
  let again
  const isOver = new Promise(resolve => again = resolve)
  client.watch('/levels/A', ({version}) => {
    shown.push(version)
    if (version === 'v2') again()
    throw new Error(`cannot show ${version}`)
  })
  await answer(CHANGES, revision('r1'))
  await answer(LEVEL, {version: 'v1'})
  await answer(CHANGES, revision('r2', {levels: ['/levels/A'], details: []}))
  await answer(LEVEL, {version: 'v2'})
  await isOver
  assert.deepEqual([shown, reported], [['v1', 'v2'], ['cannot show v1', 'cannot show v2']])
})

test('a path is the same however it is encoded', () => {
  const spellings = ["/levels/It's (1)!*", `/levels/${encodeURIComponent("It's (1)!*")}`, '/levels/It%27s%20%281%29%21%2a', '/levels/It%27s%20%281%29%21%2A/?sort=Title']
  for (const link of spellings) {
    assert.equal(concerns({levels: ['/levels/It%27s%20%281%29%21%2A'], details: []}, link), true, link)
    assert.equal(concerns({levels: [], details: ['/detail/It%27s%20%281%29%21%2A/B']}, link), true, link)
    assert.equal(concerns({levels: ['/levels/It%27s%20%281%29%21%2A/B/C'], details: []}, link, {below: true}), true, link)
  }
  assert.equal(concerns({levels: ['/levels/%C3%A4'], details: []}, '/levels/a%CC%88'), true, 'one text in two normal forms')
  assert.equal(concerns({levels: ['/levels/A/B'], details: []}, '/levels/A%2FB'), false, 'a slash in a key')
  assert.equal(concerns({levels: ['/levels/%25zz'], details: []}, '/levels/%zz'), false)
})

test('a detail whose path is encoded by JavaScript is read again after its change', async t => {
  const {answer, watch} = byHand(t)
  const {next} = watch(`/detail/${encodeURIComponent('B (1)')}/C`)
  await answer(CHANGES, revision('r1'))
  await answer(/^\/detail/, {version: 'v1'})
  await next()
  await answer(CHANGES, revision('r2', {levels: [], details: ['/detail/B%20%281%29/C']}))
  await answer(/^\/detail/, {version: 'v2'})
  assert.deepEqual(await next(), [{version: 'v2'}, {}])
})

// A storage that keeps its items in an object.
const storage = (items = {}) => ({
  items, getItem: key => items[key] ?? null, setItem: (key, text) => items[key] = text, removeItem: key => delete items[key]})
const KEY = 'drilldown http://host/music /levels/A '

test('a broken copy is dropped', async t => {
  const store = storage({[KEY]: '{"version":'}), {answer, watch} = byHand(t, {store})
  const {next} = watch('/levels/A')
  assert.deepEqual(store.items, {})
  await answer(CHANGES, revision('r1'))
  await answer(LEVEL, {version: 'v1'})
  assert.deepEqual([await next(), store.items], [[{version: 'v1'}, {}], {[KEY]: '{"version":"v1"}'}])
})

test('where storage is blocked or full there are no copies, and all else works', async t => {
  const refuse = () => {
    throw new Error('blocked')
  }
  Object.defineProperty(globalThis, 'localStorage', {configurable: true, get: refuse})
  t.after(() => delete globalThis.localStorage)
  for (const store of [undefined, {getItem: refuse, setItem: refuse, removeItem: refuse}]) {
    const {answer, watch} = byHand(t, {store})
    const {next} = watch('/levels/A')
    await answer(CHANGES, revision('r1'))
    await answer(LEVEL, {version: 'v1'})
    assert.deepEqual(await next(), [{version: 'v1'}, {}])
  }
})

test('no copy is made or shown while there is a token, and a refusal drops the copy', async t => {
  const store = storage({[KEY]: '{"version":"v0"}'}), secret = byHand(t, {store, token: 'secret'})
  const {next, end} = secret.watch('/levels/A')
  await secret.answer(CHANGES, revision('r1'))
  await secret.answer(LEVEL, {version: 'v1'})
  assert.deepEqual([await next(), store.items], [[{version: 'v1'}, {}], {[KEY]: '{"version":"v0"}'}])
  end()
  const open = byHand(t, {store}), watch = open.watch('/levels/A')
  assert.deepEqual(await watch.next(), [{version: 'v0'}, {isCopy: true}])
  await open.answer(CHANGES, revision('r1'))
  await open.answer(LEVEL, {}, {status: 401})
  const [answer, {problem}] = await watch.next()
  assert.deepEqual([answer, problem.status, store.items], [null, 401, {}])
})

test('a refusal of the changes drops the copy, too', async t => {
  const store = storage({[KEY]: '{"version":"v0"}'}), {answer, watch} = byHand(t, {store, isPatient: true})
  const {next} = watch('/levels/A')
  assert.deepEqual(await next(), [{version: 'v0'}, {isCopy: true}])
  await answer(CHANGES, {}, {status: 401})
  const [shown, {problem}] = await next()
  assert.deepEqual([shown, problem.status, store.items], [null, 401, {}])
})

test('a token that is set while the service asks for one is used at once', async t => {
  const {answer, client, watch} = byHand(t, {isPatient: true})
  const {next} = watch('/levels/A')
  await answer(CHANGES, {}, {status: 401})
  assert.equal((await next())[1].problem.status, 401)
  client.token = 'secret'
  assert.equal((await answer(CHANGES, revision('r1'))).token, 'Bearer secret')
  await answer(LEVEL, {version: 'v1'})
  assert.deepEqual(await next(), [{version: 'v1'}, {}])
})

test('a level whose sections alone differ is shown again', async t => {
  const {answer, watch} = byHand(t), rows = [{key: 'a'}, {key: 'b'}]
  const level = (version, count) => ({version, rows, sections: [{title: 'A', start: 0, count}, {title: 'B', start: count, count: 2 - count}]})
  const {next} = watch('/levels/S')
  await answer(CHANGES, revision('r1'))
  await answer(LEVEL, level('v1', 2))
  assert.deepEqual(await next(), [level('v1', 2), {}])
  await answer(CHANGES, revision('r2', {levels: ['/levels/S'], details: []}))
  await answer(LEVEL, level('v2', 1))
  assert.deepEqual(await next(), [level('v2', 1), {}])
})
