// Property lists: their values with their exact types, which JSON does not tell apart.

// A value is {type, value}: string, integer and real (as text), boolean, date, data (base64), array ([value]),
// dictionary ([[name, value]]).

const policy = globalThis.trustedTypes?.createPolicy('plist', {createHTML: text => text})

export function parse(text) {
  const xml = new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, 'application/xml')
  const root = xml.documentElement
  if (root.nodeName !== 'plist' || !root.firstElementChild) throw new Error('The answer is not a property list.')
  return read(root.firstElementChild)
}

function read(element) {
  switch (element.nodeName) {
    case 'true': return {type: 'boolean', value: true}
    case 'false': return {type: 'boolean', value: false}
    case 'array': return {type: 'array', value: [...element.children].map(read)}
    case 'dict': return {type: 'dictionary', value: entries(element)}
    case 'data': return {type: 'data', value: element.textContent.replace(/\s/g, '')}
    default: return {type: element.nodeName, value: element.textContent}
  }
}

function entries(element) {
  const children = [...element.children]
  const result = []
  for (let index = 0; index + 1 < children.length; index += 2) {
    result.push([children[index].textContent, read(children[index + 1])])
  }
  return result
}

// A dictionary as a plain object; values that are no text become numbers, booleans and arrays.
export function plain({type, value}) {
  switch (type) {
    case 'integer':
    case 'real': return Number(value)
    case 'array': return value.map(plain)
    case 'dictionary': return Object.fromEntries(value.map(([name, each]) => [name, plain(each)]))
    default: return value
  }
}

// What JSON tells of the types, for documents that XML cannot carry.
export function fromJSON(value) {
  if (typeof value === 'boolean') return {type: 'boolean', value}
  if (typeof value === 'number') return {type: Number.isInteger(value) ? 'integer' : 'real', value: String(value)}
  if (Array.isArray(value)) return {type: 'array', value: value.map(fromJSON)}
  if (value && typeof value === 'object') {
    return {type: 'dictionary', value: Object.entries(value).map(([name, each]) => [name, fromJSON(each)])}
  }
  return {type: 'string', value: String(value)}
}

// A value as XML, to be sent with its exact type.
export function xml({type, value}) {
  switch (type) {
    case 'boolean': return value ? '<true/>' : '<false/>'
    case 'array': return `<array>${value.map(xml).join('')}</array>`
    case 'dictionary':
      return `<dict>${value.map(([name, each]) => `<key>${escaped(name)}</key>${xml(each)}`).join('')}</dict>`
    default: return `<${type}>${escaped(value)}</${type}>`
  }
}

export const plist = content => `<?xml version="1.0" encoding="UTF-8"?><plist version="1.0">${content}</plist>`

const escaped = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/\r/g, '&#13;')
