// The types of drilldown.js. They need TypeScript 4.5 or later.

export declare const version: string

/** The value of a field. Dates are RFC 3339 text, data is base64 text. */
export type Value = string | number | boolean | null | Value[] | {[name: string]: Value}

/** The fields of an item by name. */
export type Fields = {[name: string]: Value}

/** The options of a level, such as `{sort: '-Price', limit: 100}`. */
export type Query = {[option: string]: string | number | boolean} | URLSearchParams

export interface Link {
  title: string
  href: string
}

/** The control of a setting. */
export interface Control {
  type: string
  key?: string
  value?: Value
  options?: {title: string, value: Value}[]
  choice?: Value
  min?: Value
  max?: Value
  trueValue?: Value
  falseValue?: Value
  secure?: boolean
  keyboard?: string
  tag?: Value
}

/** A row of a level. `F`: the fields that the rows show. */
export interface Row<F = Fields> {
  key: string
  version: string
  /** The version of the item's own fields; only with `fields=*`. */
  fieldsVersion?: string
  title: string
  leaf: boolean
  count: number
  /** The link of the row's level; of a leaf, the link of its detail. */
  href: string
  fields: F
  control?: Control
  error?: string
  /** In a table of a database: the records to which the row refers, by the names of its columns. */
  links?: {[columns: string]: Link}
  /** In a search: the titles of the items between the level and the row. */
  trail?: string[]
  /** In an outline: the depth of the row, from 0. */
  indent?: number
  expanded?: boolean
  first?: boolean
  last?: boolean
}

export interface Section {
  title: string | null
  index: string | null
  start: number
  count: number
  footer?: string
}

/** A level, or a page of it. `F`: the fields that the rows show. */
export interface Level<F = Fields> {
  title: string
  href: string
  detail: string
  version: string
  depth: number
  leaf: boolean
  ancestors: Link[]
  /** The number of rows on all pages. */
  count: number
  /** The position of the first row of this page; without a page, it is absent. */
  start?: number
  sections: Section[]
  rows: Row<F>[]
  previous?: string | null
  next: string | null
  after: string | null
  /** The link that is answered when this answer is no longer current. */
  follow: string
  error?: string
}

/** A detail. `F`: the fields of the item. */
export interface Detail<F = Fields> {
  title: string
  href: string
  level: string
  version: string
  /** The version of the item's own fields, for `If-Match`. */
  fieldsVersion: string
  depth: number
  leaf: boolean
  count: number
  ancestors: Link[]
  position: {index: number, of: number, section: number, first: boolean, last: boolean}
  previous: Link | null
  next: Link | null
  firstChild: Link | null
  lastChild: Link | null
  fields: F
  control?: Control
  links?: {[columns: string]: Link}
  /** The link that is answered when this answer is no longer current. */
  follow: string
  error?: string
}

/** An entry of `/changes`. */
export interface Change {
  revision: string
  levels: string[]
  details: string[]
  truncated?: boolean
}

/** The error of a refused request. */
export declare class Problem extends Error {
  constructor(status: number, body: {[name: string]: Value})
  /** The status of the answer. */
  status: number
  /** The body of the answer, such as `{type: '/problems/no-such-item', …}`. */
  body: {[name: string]: Value}
  /** The seconds of `Retry-After`; null without one. */
  retryAfter?: number | null
  /** After a conflict of `save`: the current detail. */
  theirs?: Detail<any>
  /** After a conflict of `save`: the names of the fields in conflict. */
  fields?: string[]
}

/** What `watch` knows besides the answer. */
export interface State {
  /** Whether the answer is the stored copy. */
  isCopy?: boolean
  /** Whether the service cannot be reached. */
  isLost?: boolean
  /** The refusal of the service. */
  problem?: Problem
}

export interface Options {
  /** The address of the service; by default the service that sent the module. */
  address?: string
  /** The token for reading or edits. */
  token?: string | null
  /** The storage for copies; by default `localStorage`, null for no copies. */
  store?: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null
}

/** A client of a service. */
export declare class Drilldown {
  constructor(options?: Options)
  address: string
  token: string | null

  /** Requests a link from an answer or a path. `Answer`: `Level`, `Detail`, or a type of one of them. */
  get<Answer = Level>(link: string, query?: Query, how?: RequestInit): Promise<Answer>

  /** Calls `show` with each state of an answer; null without one. Returns a function that ends the watch. */
  watch<Answer = Level>(link: string, show: (answer: Answer | null, state: State) => void, query?: Query): () => void

  /** Changes fields of an item; null removes a field. Throws a `Problem` with `theirs` after a conflict. */
  save<F>(detail: Detail<F>, fields: {[Name in keyof F]?: F[Name] | null}): Promise<Detail<F>>

  /** Sends any other edit; resolves to null for `DELETE`. */
  send<Answer = Detail | null>(method: string, link: string, content?: Value, tag?: string, how?: RequestInit):
    Promise<Answer>
}

/** Returns whether a link begins with one `/`, and therefore cannot lead to another host. */
export declare function isPath(link: string): boolean

/** Returns whether an entry of `/changes` may concern a level; with `below`, also a level below it. */
export declare function concerns(
  entry: Pick<Change, 'levels' | 'details' | 'truncated'>, level: string, options?: {below?: boolean}): boolean

/** Returns the whole of an answer to `follow`, which may have only the changes since `former`. */
export declare function applied<Answer>(answer: object, former: Answer): Answer

/** Returns a link `follow` that the service answers at once. */
export declare function withoutWait(follow: string): string

/** Returns the seconds before a request that failed is repeated. */
export declare function pauseAfter(failure: {retryAfter?: number | null}, attempt: number): number
