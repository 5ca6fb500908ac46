import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

const {applied, concerns, Drilldown, pauseAfter, Problem, version, withoutWait} = await import('../../Sources/WebClient/drilldown.js')

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

test('a link that could lead to another host is not asked, and an answer with it begins anew', async t => {
  const asked = answering()
  for (const link of ['.evil/levels/', '@evil/', '//evil/', '/\\evil/', '/\t/evil/', 'https://evil/', '', undefined]) {
    const detail = `'${link}' is not a link of this service, because it does not begin with one '/'.`
    await assert.rejects(service().send('GET', link), {status: 400, message: detail}, link)
  }
  assert.deepEqual(asked, [])
  const {answer, watch} = byHand(t), {next} = watch('/levels/A')
  assert.deepEqual(await links(answer, [level('v1', {follow: '.evil/levels/A'})], [level('v1')]), ['/levels/A', '/levels/A'])
  assert.deepEqual([(await next())[1], (await next())[1].problem.status], [{}, 400])
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

const rows = (...keys) => keys.map(key => ({key, version: '1'}))
const NOTHING = {removed: [], inserted: [], moved: [], updated: []}
const after = (delta, ...keys) => applied({...NOTHING, ...delta}, {rows: rows(...keys)}).rows.map(({key, version}) => version === '1' ? key : key + version)

test('rows are removed, inserted, moved and updated at their new positions', () => {
  assert.deepEqual(after({removed: ['b']}, 'a', 'b', 'c'), ['a', 'c'])
  assert.deepEqual(after({inserted: [{at: 0, row: {key: 'x', version: '1'}}, {at: 3, row: {key: 'y', version: '1'}}]}, 'a', 'b'), ['x', 'a', 'b', 'y'])
  assert.deepEqual(after({moved: [{at: 0, key: 'c'}]}, 'a', 'b', 'c'), ['c', 'a', 'b'])
  assert.deepEqual(after({updated: [{at: 1, row: {key: 'b', version: '2'}}]}, 'a', 'b'), ['a', 'b2'])
})

test('a row that moves and is updated is the new one', () => {
  assert.deepEqual(after({moved: [{at: 0, key: 'b'}], updated: [{at: 0, row: {key: 'b', version: '2'}}]}, 'a', 'b'), ['b2', 'a'])
})

test('every change of a list into another is reached by its delta', () => {
  let seed = 7
  const random = below => (seed = seed * 48271 % 0x7FFFFFFF) % below
  for (let round = 0; round < 500; round++) {
    const old = 'abcdefgh'.slice(0, random(9)).split('')
    const kept = old.filter(() => random(3)), fresh = 'uvwxyz'.slice(0, random(7)).split(''), target = [...kept, ...fresh]
    for (let index = target.length - 1; index > 0; index--) {
      const other = random(index + 1), each = target[index]
      target[index] = target[other]
      target[other] = each
    }
    const delta = {
      removed: old.filter(key => !target.includes(key)),
      inserted: fresh.map(key => ({at: target.indexOf(key), row: {key, version: '1'}})),
      moved: kept.map(key => ({at: target.indexOf(key), key})),
    }
    assert.deepEqual(after(delta, ...old), target)
  }
})

test('what an answer has beside its rows is that of the newer one, and one with rows, a detail or a search is whole', () => {
  const former = {version: 'v1', count: 1, hints: ['No row has \'x\'.'], rows: rows('a'), follow: '/levels/?since=v1'}
  const delta = {version: 'v2', count: 2, since: 'v1', ...NOTHING, inserted: [{at: 1, row: {key: 'b'}}], follow: '/levels/?since=v2'}
  assert.deepEqual(applied(delta, former), {version: 'v2', count: 2, rows: [...rows('a'), {key: 'b'}], follow: '/levels/?since=v2'})
  for (const whole of [{version: 'v2', rows: []}, {version: 'v2', fields: {}}]) assert.deepEqual(applied(whole, former), whole)
})

test('a pause is as long as the service says, or a second that is doubled up to 30, and up to half of that longer', t => {
  const {random} = Math
  t.after(() => Object.assign(Math, {random}))
  const pauses = (...failures) => failures.map(([problem, attempt]) => pauseAfter(problem, attempt))
  const failures = [...[0, 1, 4, 5, 2000].map(attempt => [new TypeError('reset'), attempt]), [{status: 503, retryAfter: 7}, 3], [{retryAfter: 1e9}, 0]]
  Math.random = () => 0
  assert.deepEqual(pauses(...failures), [1, 2, 16, 30, 30, 7, 86_400])
  Math.random = () => 0.5
  assert.deepEqual(pauses(...failures), [1.25, 2.5, 20, 37.5, 37.5, 8.75, 108_000])
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
  globalThis.fetch = (address, {headers, signal, cache}) => new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    requests.push({link: address.replace('http://host/music', ''), token: headers.Authorization, signal, cache, resolve, reject})
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
    // Otherwise it would ask those who answer the next test.
    t.after(end)
    return {end, next: () => new Promise(resolve => shown.length ? resolve(shown.shift()) : waiting.push(resolve))}
  }
  return {answer, asked, client, requests, waits, watch}
}

const LEVEL = /^\/levels/
// A level, and the link to what follows it.
const level = (version, content) => ({version, follow: `/music/levels/A?since=${version}&wait=20&format=json`, ...content})
// The links that are asked for while each is answered.
const links = async (answer, ...answers) => {
  const asked = []
  for (const each of answers) asked.push((await answer(/./, ...each)).link)
  return asked
}

test('a watch gets its level, then the link of each answer, and shows what is different', async t => {
  const {answer, asked, watch} = byHand(t)
  const {next} = watch('/levels/A', {fields: 'Price'})
  const turn = (version, number) => ({follow: `/music/levels/A?since=${version}&wait=20&format=json&turn=${number}`})
  const delta = {...NOTHING, since: 'v1', inserted: [{at: 0, row: {key: 'x', version: '1'}}], ...turn('v2', 8)}
  assert.deepEqual(await links(answer, [level('v1', {rows: rows('a')})], [{version: 'v1', ...NOTHING, since: 'v1', ...turn('v1', 7)}], [{version: 'v2', ...delta}],
    [{version: 'v3', rows: rows('b'), ...turn('v3', 9)}]), ['/levels/A?fields=Price', '/levels/A?since=v1&wait=20&format=json',
    '/levels/A?since=v1&wait=20&format=json&turn=7', '/levels/A?since=v2&wait=20&format=json&turn=8'])
  assert.equal((await asked(LEVEL)).link, '/levels/A?since=v3&wait=20&format=json&turn=9')
  assert.deepEqual([await next(), await next(), await next()], [
    [level('v1', {rows: rows('a')}), {}], [{version: 'v2', rows: rows('x', 'a'), ...turn('v2', 8)}, {}], [{version: 'v3', rows: rows('b'), ...turn('v3', 9)}, {}]])
})

test('the browser stores no answer to a link that is followed, because it would answer equal requests one after the other', async t => {
  const {answer, watch} = byHand(t)
  watch('/levels/A')
  const caches = [await answer(LEVEL, level('v1')), await answer(LEVEL, level('v2')), await answer(LEVEL, level('v3'))].map(({cache}) => cache)
  assert.deepEqual(caches, [undefined, 'no-store', 'no-store'])
})

test('a watch that is ended gives up its request, and shows and asks nothing more', async t => {
  const {asked, requests, waits, watch} = byHand(t), {end, next} = watch('/levels/A'), {signal, resolve} = await asked(LEVEL)
  resolve(Response.json(level('v1', {})))
  assert.deepEqual(await next(), [level('v1', {}), {}])
  const following = await asked(LEVEL)
  end()
  assert.deepEqual([signal.aborted, following.signal.aborted], [true, true])
  let isShown = false
  next().then(() => isShown = true)
  following.resolve(Response.json(level('v2', {})))
  await new Promise(setImmediate)
  assert.deepEqual([isShown, requests, waits], [false, [], []])
})

test('a hidden page does not wait for changes, and goes on when it is seen', async t => {
  const {answer, asked, requests, watch} = byHand(t), {addEventListener} = document
  t.after(() => Object.assign(document, {hidden: false, addEventListener}))
  const isWaited = new Promise(resolve => document.addEventListener = (_, show) => resolve(show))
  document.hidden = true
  const {next} = watch('/levels/A')
  await answer(LEVEL, level('v1'))
  assert.deepEqual(await next(), [level('v1'), {}])
  const show = await isWaited
  assert.deepEqual(requests, [])
  document.hidden = false
  show()
  assert.equal((await asked(LEVEL)).link, '/levels/A?since=v1&wait=20&format=json')
})

test('after no answer or a fault of the service the same link is asked again, with pauses', async t => {
  const {answer, waits, watch} = byHand(t)
  const {next} = watch('/levels/A')
  const asked = await links(answer, [new TypeError('reset')], [{title: 'Too busy', detail: 'Try again.'}, {status: 503, headers: {'Retry-After': '7'}}], ['<p>a proxy</p>'],
    [level('v1')], [new TypeError('reset')], [{}, {status: 500}], [level('v2')])
  assert.deepEqual(asked.map(link => link.split('?')[1]?.slice(0, 8)), [undefined, undefined, undefined, undefined, 'since=v1', 'since=v1', 'since=v1'])
  const heard = []
  for (let count = 0; count < 7; count++) heard.push(await next())
  assert.deepEqual(heard.map(([answer, {isLost, problem}]) => [answer?.version ?? null, isLost ?? problem?.message ?? 'shown']), [
    [null, true], [null, 'Try again.'], [null, true], ['v1', 'shown'], ['v1', true], ['v1', 'The server answered with status 500.'], ['v2', 'shown']])
  const within = (wait, least) => wait >= least && wait <= least * 1.5
  assert.deepEqual(waits.map((wait, attempt) => within(wait, [1, 7, 4, 1, 2][attempt])), [true, true, true, true, true])
})

test('the first request after a failure does not wait for a change, and the next one does', async t => {
  const {answer, asked, watch} = byHand(t), link = '/levels/A?pretty=true&since=v1', {next} = watch('/levels/A')
  const follow = `/music${link}&wait=20&format=json&turn=7`
  const asks = await links(answer, [level('v1', {follow})], [new TypeError('reset')], [{}, {status: 500}], [level('v1', {follow})])
  assert.deepEqual(asks, ['/levels/A', `${link}&wait=20&format=json&turn=7`, `${link}&format=json`, `${link}&format=json`])
  assert.equal((await asked(LEVEL)).link, `${link}&wait=20&format=json&turn=7`)
  const states = [await next(), await next(), await next(), await next()].map(([, {isLost, problem}]) => isLost ?? problem?.status ?? 'shown')
  assert.deepEqual(states, ['shown', true, 500, 'shown'])
})

test('an answer without a change and without a wait is followed after a pause, longer each time', async t => {
  const {answer, asked, waits, watch} = byHand(t), {next} = watch('/levels/A')
  await links(answer, ...Array(4).fill([level('v1')]), [level('v2')], [level('v2')])
  await asked(LEVEL)
  assert.deepEqual([(await next())[0].version, (await next())[0].version], ['v1', 'v2'])
  assert.deepEqual(waits.map(wait => Math.floor(Math.log2(wait))), [0, 1, 2, 0])
})

test('an answer without a change is followed at once if it took its time', async t => {
  const {answer, asked, waits, watch} = byHand(t), {now} = performance
  t.after(() => performance.now = now)
  let clock = 0
  performance.now = () => clock += 1000
  watch('/levels/A')
  await links(answer, [level('v1')], [level('v1')], [level('v1')])
  await asked(LEVEL)
  assert.deepEqual(waits, [])
})

test('a wait and a turn are taken out of a link, and nothing else', () => {
  const links = ['/levels/?wait=x&since=v&wait=20&format=json&turn=7', '/changes?since=a-1&wait=20&format=json', '/levels/wait=5']
  assert.deepEqual(links.map(withoutWait), ['/levels/?wait=x&since=v&format=json', '/changes?since=a-1&format=json', '/levels/wait=5'])
})

test('after a failed read the same answer is shown again, so that the page can take its notice away', async t => {
  const {answer, watch} = byHand(t)
  const {next} = watch('/levels/A')
  await links(answer, [level('v1')], [{}, {status: 503}], [level('v1')])
  await next()
  assert.equal((await next())[1].problem.status, 503)
  assert.deepEqual(await next(), [level('v1'), {}])
})

test('after a refusal the watch begins anew, with pauses', async t => {
  for (const status of [400, 404, 410, 429]) {
    const {answer, waits, watch} = byHand(t), {end, next} = watch('/levels/A', {sort: 'Title'})
    const asked = await links(answer, [level('v1')], [{}, {status}], [{}, {status}], [level('v1')])
    assert.deepEqual(asked.map(link => link.slice(10, 18)), ['sort=Tit', 'since=v1', 'sort=Tit', 'sort=Tit'])
    assert.deepEqual([await next(), (await next())[1].problem.status, (await next())[1].problem.status, await next()], [[level('v1'), {}], status, status, [level('v1'), {}]])
    assert.deepEqual(waits.map((wait, attempt) => Math.floor(Math.log2(wait)) === attempt), [true, true])
    end()
  }
})

test('after a refusal the watch waits as long as the service says', async t => {
  const {answer, waits, watch} = byHand(t)
  watch('/levels/A')
  const asked = await links(answer, [level('v1')], [{}, {status: 429, headers: {'Retry-After': '40'}}], [level('v1')])
  assert.deepEqual([asked[2], waits.length, waits[0] >= 40 && waits[0] <= 60], ['/levels/A', 1, true])
})

test('after an answer that cannot be used the watch begins anew, and keeps the copy', async t => {
  const detail = 'The answer has the changes since the version \'v0\', but the copy has the version \'v1\'.'
  for (const [body, told] of [['<p>a proxy</p>', true], ['null', true], [JSON.stringify(level('v2', {...NOTHING, since: 'v0'})), detail]]) {
    const store = storage(), {answer, watch} = byHand(t, {store}), {end, next} = watch('/levels/A'), shown = level('v1', {rows: rows('a')})
    assert.deepEqual((await links(answer, [shown], [body], [shown])).map(link => link.slice(10, 18)), ['', 'since=v1', ''])
    const states = [await next(), await next(), await next()]
    assert.deepEqual(states.map(([answer, {isLost, problem}]) => [answer, problem?.message ?? isLost]), [[shown, undefined], [shown, told], [shown, undefined]])
    assert.deepEqual(store.items, {[KEY]: JSON.stringify(shown)})
    end()
  }
})

test('a service without links to follow is asked again and again, and the page is told why', async t => {
  const {answer, waits, watch} = byHand(t), {next} = watch('/levels/A')
  assert.deepEqual(await links(answer, [{version: 'v1'}], [{version: 'v2'}], [{version: 'v3'}]), ['/levels/A', '/levels/A', '/levels/A'])
  const states = [await next(), await next()].map(([{version}, {isLost, problem}]) => [version, isLost, problem.message])
  const sentence = 'The answer has no link `follow`, so its changes cannot be followed: the service is older than this module.'
  assert.deepEqual(states, [['v1', undefined, sentence], ['v2', undefined, sentence]])
  assert.deepEqual(waits.slice(0, 2).map(wait => Math.floor(Math.log2(wait))), [0, 1])
})

test('an exception of the page is reported, and the watches go on', async t => {
  const {answer, client} = byHand(t), reported = [], shown = []
  globalThis.reportError = error => reported.push(error.message)
  t.after(() => delete globalThis.reportError)
  let again
  const isOver = new Promise(resolve => again = resolve)
  t.after(client.watch('/levels/A', ({version}) => {
    shown.push(version)
    if (version === 'v2') again()
    throw new Error(`cannot show ${version}`)
  }))
  await links(answer, [level('v1')], [level('v2')])
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

// A storage that keeps its items in an object.
const storage = (items = {}) => ({
  items, getItem: key => items[key] ?? null, setItem: (key, text) => items[key] = text, removeItem: key => delete items[key]})
const KEY = 'drilldown http://host/music /levels/A '

test('a broken copy is dropped', async t => {
  const store = storage({[KEY]: '{"version":'}), {answer, watch} = byHand(t, {store})
  const {next} = watch('/levels/A')
  assert.deepEqual(store.items, {})
  await answer(LEVEL, level('v1'))
  assert.deepEqual([await next(), store.items], [[level('v1'), {}], {[KEY]: JSON.stringify(level('v1'))}])
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
    await answer(LEVEL, level('v1'))
    assert.deepEqual(await next(), [level('v1'), {}])
  }
})

test('no copy is made or shown while there is a token, and a refusal drops the copy', async t => {
  const store = storage({[KEY]: '{"version":"v0"}'}), secret = byHand(t, {store, token: 'secret'})
  const {next, end} = secret.watch('/levels/A')
  await secret.answer(LEVEL, level('v1'))
  assert.deepEqual([await next(), store.items], [[level('v1'), {}], {[KEY]: '{"version":"v0"}'}])
  end()
  const open = byHand(t, {store}), watch = open.watch('/levels/A')
  assert.deepEqual(await watch.next(), [{version: 'v0'}, {isCopy: true}])
  await open.answer(LEVEL, {}, {status: 401})
  const [answer, {problem}] = await watch.next()
  assert.deepEqual([answer, problem.status, store.items], [null, 401, {}])
})

test('a token that is set while the service asks for one is used at once', async t => {
  const {answer, client, watch} = byHand(t, {isPatient: true})
  const {next} = watch('/levels/A')
  await answer(LEVEL, {}, {status: 401})
  assert.equal((await next())[1].problem.status, 401)
  client.token = 'secret'
  assert.equal((await answer(LEVEL, level('v1'))).token, 'Bearer secret')
  assert.deepEqual(await next(), [level('v1'), {}])
})

test('a level whose sections alone differ is shown again', async t => {
  const {answer, watch} = byHand(t), sections = count => [{title: 'A', start: 0, count}, {title: 'B', start: count, count: 2 - count}]
  const {next} = watch('/levels/S')
  await links(answer, [level('v1', {rows: rows('a', 'b'), sections: sections(2)})], [level('v2', {...NOTHING, since: 'v1', sections: sections(1)})])
  assert.deepEqual(await next(), [level('v1', {rows: rows('a', 'b'), sections: sections(2)}), {}])
  assert.deepEqual(await next(), [level('v2', {rows: rows('a', 'b'), sections: sections(1)}), {}])
})
