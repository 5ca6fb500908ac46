import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

const {conditions, itemPath, Place, positions} = await import('../../Sources/WebClient/place.js')
const {addressOf, base} = await import('../../Sources/WebClient/elements.js')

const at = address => {
  const {pathname, search} = new URL(base + address, 'http://host')
  return Place.of({pathname, search})
}

test('an address names a path and the query of its level', () => {
  const place = at('/browse/A%20b/C?sort=-Price')
  assert.deepEqual([place.path, place.level, place.detail, place.target], ['A%20b/C', '/levels/A%20b/C', '/detail/A%20b/C', '/levels/A%20b/C?sort=-Price'])
  assert.equal(place.address, base + '/browse/A%20b/C?sort=-Price')
})

test('the root is the address of the service', () => {
  assert.deepEqual([at('/').address, at('/browse/').address, at('/browse').path], [base + '/', base + '/', ''])
})

test('segments have the form of links, however they were typed', () => {
  assert.equal(at("/browse/It's (1)!").path, 'It%27s%20%281%29%21')
  assert.equal(at('/browse/%e4').path, '%25e4')
  assert.equal(at('/browse/a%2Fb').segments.length, 1)
})

test('a link to a level and one to a detail lead to the same place', () => {
  for (const link of ['/levels/A/B', '/detail/A/B', '/music/v1/levels/A/B', base + '/detail/A/B']) assert.equal(Place.ofLink(link).path, 'A/B')
  assert.deepEqual(['/levels/', '/levels', '/detail/A', '/music/levels', '/detail/levels/detail'].map(itemPath), ['', '', 'A', '', 'levels/detail'])
})

test('a link has the path of the proxy once, and a page may be opened without this path', () => {
  assert.deepEqual(['/levels/A', base + '/levels/A'].map(addressOf), Array(2).fill(base + '/levels/A'))
  assert.equal(Place.of({pathname: '/browse/A' + base, search: ''}).path, 'A' + base)
})

test('what only the client knows is not asked of the service', () => {
  assert.equal(at('/browse/A?show=B&columns=Price&sort=Title&above=0%3Fsort%3DX&format=json&limit=5&start=5&after=x&wait=5&since=a-1').levelQuery, 'sort=Title')
})

test('levels above keep their order on the way down and back', () => {
  const root = at('/?sort=-Price'), below = root.toLink('/levels/A')
  assert.equal(below.levelQuery, '')
  assert.equal(below.parent.levelQuery, 'sort=-Price')
  assert.equal(below.toLink('/levels/A/B').prefix(0).levelQuery, 'sort=-Price')
  assert.equal(at('/?q=text').toLink('/levels/A').parent.levelQuery, '')
})

test('the detail beside a level is named by its path below it', () => {
  const level = at('/browse/A'), shown = level.showing(Place.ofLink('/detail/A/B/C'))
  assert.deepEqual([shown.value('show'), shown.shown.path, shown.showing(null).address], ['B/C', 'A/B/C', base + '/browse/A'])
  assert.equal(level.showing(level).shown.path, 'A')
})

test('rows have their short values, or the fields that are drawn, sorted by and shown in columns', () => {
  assert.deepEqual(at('/').fields, {})
  assert.deepEqual(at('/?sort=-Price,Title,Key&columns=Year').fields, {fields: 'Subtitle,Image,Value,Price,Year'})
  assert.deepEqual(at('/?sort=-Price').fields, {})
  assert.deepEqual(at('/?q=x&in=*').fields, {fields: '*'})
  assert.deepEqual(at('/?fields=Year&columns=Price').fields, {})
})

test('conditions are a field, a sign and a value', () => {
  const place = at('/?where=Price%3E5&where=Brand!a:b&where=Note~c%0Ad&where=Year<5&where=odd')
  assert.deepEqual(conditions(place), [['Price', '>', '5'], ['Brand', '!', 'a:b'], ['Note', '~', 'c\nd'], ['Year', '<', '5'], ['odd', ':', '']])
})

test('a place is within those above it, by whole segments', () => {
  assert.deepEqual(['A', 'A/B', 'AB', ''].map(path => Place.ofLink('/levels/' + path).isWithin(Place.ofLink('/levels/A'))), [true, true, false, false])
})

test('a search and an outline are places with options of their own', () => {
  const kinds = ['/', '/?q=x', '/?depth=2', '/?expand=a', '/?depth=2&expand=a', '/?sort=q'].map(at)
  assert.deepEqual(kinds.map(place => place.isSearch), [false, true, false, false, false, false])
  assert.deepEqual(kinds.map(place => place.isOutline), [false, false, true, true, true, false])
})

test('the scroll positions of the latest two hundred levels are kept', () => {
  for (let number = 0; number < 200; number++) positions.set(`L${number}`, number)
  positions.set('L0', 5)
  positions.set('L200', 200)
  assert.deepEqual(['L0', 'L1', 'L2', 'L200'].map(positions.get), [5, undefined, 2, 200])
})
