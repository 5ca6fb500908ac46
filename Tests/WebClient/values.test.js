import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

const {asset, brief, date, foldCase, oneLine, visible} = await import('../../Sources/WebClient/elements.js')
const {changes, literal, sendFields} = await import('../../Sources/WebClient/edits.js')
const {plain, plist, readJSON} = await import('../../Sources/WebClient/plist.js')

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
  assert.equal(brief('2026-11-26T00:00:00Z'), 'November 26, 2026')
})

test('control characters and marks that reorder text are visible', () => {
  assert.equal(visible('a\0b\x7F\u202Ec\u2066'), 'a␀b␡[U+202E]c[U+2066]')
  assert.equal(oneLine('a\n\t b'), 'a b')
})

test('text is compared without case and accents', () => assert.equal(foldCase('ÄÉß'), foldCase('aess')))

test('an image stays in the folder of assets', () => {
  assert.equal(asset('covers/a b.png'), '/assets/covers/a%20b.png')
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
  assert.equal(literal({type: 'dictionary', value: after}, {type: 'dictionary', value: before}), '{"b":"x","c":null,"d":9007199254740993}')
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
