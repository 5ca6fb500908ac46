import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

const {asset, brief, date, foldCase, isColour, marked, measured, oneLine, plural, size, visible} = await import('../../Sources/WebClient/elements.js')
const {changes, literal, sendFields} = await import('../../Sources/WebClient/edits.js')
const {bytesIn, plain, plist, readDetail, readJSON} = await import('../../Sources/WebClient/plist.js')

const typed = text => readJSON(`{"v":${text}}`).value[0][1]
const real = value => ({type: 'real', value}), integer = value => ({type: 'integer', value}), string = value => ({type: 'string', value})

test('a number keeps its digits', () => {
  for (const digits of ['1e-300', '1e300', '-0.0', '12345678901234567890.5']) assert.deepEqual(typed(digits), real(digits))
  for (const digits of ['1984', '9007199254740993', '-9223372036854775808']) assert.deepEqual(typed(digits), integer(digits))
})

test('numbers in rows are never grouped', () => {
  assert.deepEqual([1984, 1e300, 1e-300, 9007199254740993n, 0.1].map(brief), ['1984', '1e+300', '1e-300', '9007199254740993', '0.1'])
})

test('text in JSON that looks like a number stays text, also with escapes', () => {
  assert.deepEqual(typed('"12"'), string('12'))
  assert.deepEqual(typed('"a\\"1,2\\\\"'), string('a"1,2\\'))
  assert.deepEqual(typed('[true,null,{"a":1}]').value.map(({type}) => type).slice(0, 1), ['boolean'])
})

test('a date is that of UTC, written out, and a day alone has no time', () => {
  assert.match(date('2026-11-26T13:14:15Z'), /^November 26, 2026.* 1:14:15\sPM UTC$/)
  assert.equal(date('2026-11-26T00:00:00Z'), 'November 26, 2026')
  assert.equal(date('yesterday'), 'yesterday')
  assert.deepEqual(['2026-11-26T00:00:00Z', '2026-11-26T00:00:00.0Z', '2026-11-26T00:00:00'].map(brief), ['November 26, 2026', 'November 26, 2026', '2026-11-26T00:00:00'])
})

test('control characters and marks that reorder text are visible', () => {
  assert.equal(visible('a\0b\x7F\u202Ec\u2066'), 'a␀b␡[U+202E]c[U+2066]')
  assert.equal(visible('\x08\t\n\x0B\x1F \u202A\u2069'), '␈\t\n␋␟ [U+202A][U+2069]')
  assert.equal(oneLine('a\n\t b'), 'a b')
})

test('text is compared without case and accents', () => assert.equal(foldCase('ÄÉß'), foldCase('aess')))

test('an image stays in the folder of assets', () => {
  assert.equal(asset('covers/a b.png'), '/assets/covers/a%20b.png')
  assert.deepEqual([1000, 1001].map(length => asset('x'.repeat(length))?.length), [1008, undefined])
  for (const name of ['', '/metrics', '../metrics', 'a/../../metrics', './x', 'a/..', 'http://host/x', 'data:,x', 5, null]) assert.equal(asset(name), null)
})

test('a value is sent with its exact type', () => {
  assert.equal(plist({type: 'dictionary', value: [['a<', real('1e300')], ['b', {type: 'boolean', value: true}], ['c', {type: 'array', value: [string('&\r')]}]]}),
    '<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>a&lt;</key><real>1e300</real><key>b</key><true/><key>c</key><array><string>&amp;&#13;</string></array></dict></plist>')
  assert.deepEqual(plain({type: 'dictionary', value: [['n', integer('5')], ['l', {type: 'array', value: [string('x')]}]]}), {n: 5, l: ['x']})
})

test('the names of fields that differ, and the patch that makes one of the other', () => {
  const before = [['a', string('1')], ['b', string('2')], ['c', string('3')]], after = [['a', string('1')], ['b', string('x')], ['d', integer('9007199254740993')]]
  assert.deepEqual(changes(after, before), ['b', 'c', 'd'])
  const dictionary = value => ({type: 'dictionary', value})
  assert.equal(literal(dictionary(after), dictionary(before)), '{"b":"x","c":null,"d":9007199254740993}')
  assert.equal(literal(dictionary([['a', string('1')]]), string('1')), '{"a":"1"}')
  assert.equal(literal({type: 'array', value: [real('nan'), real('1.50'), {type: 'boolean', value: false}]}), '["nan",1.50,false]')
})

test('changed fields are patched with their types, removed ones as null, and the whole item is sent if both are needed', async () => {
  const sent = [], text = value => ({type: 'string', value}), dictionary = value => ({type: 'dictionary', value})
  globalThis.fetch = async (target, {method, headers, body}) => {
    sent.push([method, target.slice(target.indexOf('/detail')), headers['Content-Type'], headers['If-Match'], body])
    return Response.json({href: '/detail/a'})
  }
  const place = {detail: '/detail/a'}, before = [['A', text('1')], ['D', dictionary([['x', text('1')], ['y', dictionary([['z', text('1')]])]])]]
  const send = (fields, isJSON = false) => sendFields({place, isJSON}, fields, before, 'v')
  await send([['A', text('2')], before[1]])
  await send([before[1]])
  await send([['A', text('2')]])
  await send([before[0], ['D', dictionary([['x', text('2')], ['y', dictionary([['z', text('1')]])]])]])
  await send([before[0], ['D', dictionary([['x', text('1')], ['y', dictionary([])]])]])
  await send([['A', text('2')], before[1]], true)
  assert.deepEqual(sent.map(([method, target, type, tag]) => [method, target, type, tag]), [
    ['PATCH', '/detail/a', 'application/x-plist', '"v"'], ['PATCH', '/detail/a', 'application/merge-patch+json', '"v"'],
    ['PUT', '/detail/a', 'application/x-plist', '"v"'], ['PATCH', '/detail/a', 'application/x-plist', '"v"'],
    ['PUT', '/detail/a', 'application/x-plist', '"v"'], ['PATCH', '/detail/a', 'application/merge-patch+json', '"v"']])
  assert.deepEqual([sent[1][4], sent[5][4]], ['{"A":null}', '{"A":"2"}'])
})

test('a detail that is no property list is read as JSON, and names that look like numbers keep their order', async () => {
  const accepted = []
  globalThis.fetch = async (_, {headers: {Accept}}) => {
    accepted.push(Accept)
    return Accept === 'application/x-plist' ? new Response('{}', {status: 406}) : new Response('{"title": "A", "fields": {"2": 9007199254740993, "1": [1.50, null]}}')
  }
  const fields = [['2', integer('9007199254740993')], ['1', {type: 'array', value: [real('1.50'), {type: 'boolean', value: null}]}]]
  assert.deepEqual(await readDetail({detail: '/detail/A'}), {title: 'A', isJSON: true, fields})
  assert.deepEqual(accepted, ['application/x-plist', 'application/json'])
  globalThis.fetch = async () => new Response('{}', {status: 404})
  await assert.rejects(readDetail({detail: '/detail/A'}), {status: 404})
})

test('a number of bytes or of seconds is shown in larger units, as the name of its field tells', () => {
  const shown = [[999, 'bytes'], [1000, 'bytes'], ['1500', 'FileSize'], [59.4, 'Seconds'], [59.5, 'Duration'], [3661, 'seconds'], [61_500, 'Milliseconds'], [-1, 'bytes'], ['', 'seconds'], [true, 'seconds'], [5000, 'Price']]
  assert.deepEqual(shown.map(([value, name]) => measured(value, name)), [null, '1 KB', '1.5 KB', '0:59', '1:00', '1:01:01', '1:02', null, null, null, null])
  assert.deepEqual([0, 999, 1000, 1_250_000, 5e12].map(size), ['0 bytes', '999 bytes', '1 KB', '1.3 MB', '5,000 GB'])
  assert.deepEqual(['', 'QQ==', 'QUI=', 'QUJD'].map(bytesIn), [0, 1, 2, 3])
})

test('values of other kinds are shown in a few words', () => {
  assert.deepEqual([true, false, [1], [1, 2], {}, {a: 1}, null].map(brief), ['✓', '–', '1 element', '2 elements', '0 fields', '1 field', 'null'])
  assert.deepEqual([brief('x'.repeat(301)).length, plural(1, 'row'), plural(1000, 'row')], [300, '1 row', '1,000 rows'])
  assert.deepEqual(['#12abEF', '#12abE', '#12abEF0', 'x#12abEF', 5].map(isColour), [true, false, false, false, false])
})

test('the hits of a search are marked, whatever their case and accents', () => {
  document.createElement = () => ({append(text) { this.hit = text }})
  const shown = (text, query) => marked(text, query).map(part => part.hit ? `[${part.hit}]` : part).join('')
  assert.deepEqual([['Ärger', 'arg'], ['Straße STRASSE', 'ss'], ['😀aa', 'A'], ['abc', ''], ['abc', null], ['abc', 'x']].map(each => shown(...each)),
    ['[Ärg]er', 'Stra[ß]e STRA[SS]E', '😀[a][a]', 'abc', 'abc', 'abc'])
})
