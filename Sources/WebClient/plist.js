// Property lists, whose values keep their exact types. JSON does not distinguish all of these types.

import {request} from './service.js'

// A value is {type, value}: string, integer and real (as text), boolean, date, data (base64), array, dictionary
// (pairs).

const policy = globalThis.trustedTypes?.createPolicy('plist', {createHTML: text => text})

export const readPlist = (target, signal) =>
  request(target, {signal, headers: {Accept: 'application/x-plist'},
    read: async response => parse(await response.text())})

function parse(text) {
  const {documentElement} = new DOMParser().parseFromString(policy?.createHTML(text) ?? text, 'application/xml')
  if (documentElement.nodeName !== 'plist') throw new Error('The answer is not a property list.')
  return readValue(documentElement.firstElementChild)
}

function readValue(element) {
  const type = element.nodeName
  switch (type) {
    case 'true': case 'false': return {type: 'boolean', value: type === 'true'}
    case 'array': return {type, value: Array.from(element.children, readValue)}
    case 'dict': return {type: 'dictionary', value: Array.from(element.querySelectorAll(':scope > key'),
      key => [key.textContent, readValue(key.nextElementSibling)])}
    case 'data': return {type, value: element.textContent.replace(/\s/g, '')}
    default: return {type, value: element.textContent}
  }
}

// Converts a value to JavaScript. A number may be rounded; dates and data stay texts.
export function plain({type, value}) {
  switch (type) {
    case 'integer':
    case 'real': return Number(value)
    case 'array': return value.map(plain)
    case 'dictionary': return Object.fromEntries(value.map(([name, each]) => [name, plain(each)]))
    default: return value
  }
}

// Reads JSON with types. Numbers, texts and names are parsed as texts after a letter was put before each of them.
// Numbers therefore keep their digits, and names keep their order, even names that look like numbers.
export const readJSON = text => JSON.parse(
  text.replace(/"((?:[^"\\]+|\\.)*")|-?\d[\d.eE+-]*/g, (token, rest) => rest ? '"s' + rest : `"n${token}"`), typed)

function typed(_, value) {
  if (Array.isArray(value)) return {type: 'array', value}
  if (typeof value === 'string') {
    return {type: value[0] === 's' ? 'string' : /[.eE]/.test(value) ? 'real' : 'integer', value: value.slice(1)}
  }
  return value && typeof value === 'object'
    ? {type: 'dictionary', value: Object.entries(value).map(([name, each]) => [name.slice(1), each])}
      : {type: 'boolean', value}
}

// A value as the text of a property list, with which the exact type of the value can be sent.
export const plist = value => `<?xml version="1.0" encoding="UTF-8"?><plist version="1.0">${xml(value)}</plist>`

function xml({type, value}) {
  switch (type) {
    case 'boolean': return value ? '<true/>' : '<false/>'
    case 'array': return `<array>${value.map(xml).join('')}</array>`
    case 'dictionary':
      return `<dict>${value.map(([name, each]) => `<key>${escaped(name)}</key>${xml(each)}`).join('')}</dict>`
    default: return `<${type}>${escaped(value)}</${type}>`
  }
}

const escaped = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/\r/g, '&#13;')

export const bytesIn = base64 => base64.replace(/=+$/, '').length * 3 >> 2

// Reads a detail with exact types. If a property list cannot represent it, reads it as JSON, with the types of JSON.
export async function readDetail(place, signal) {
  let isJSON = false
  const answer = await readPlist(place.detail, signal).catch(error => {
    if (error.status !== 406) throw error
    isJSON = true
    return request(place.detail, {signal, read: async response => readJSON(await response.text())})
  })
  return {...plain(answer), isJSON, fields: answer.value.find(([name]) => name === 'fields')[1].value}
}
