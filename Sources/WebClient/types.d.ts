// What the modules agree on. Nothing of this is served.

import type {Level} from './level.js'
import type {LevelHead} from './level-head.js'
import type {List} from './list.js'
import type {Place} from './place.js'

/** A column of the page. */
export interface Pane {
  place: Place
  element: HTMLElement
  /** Where the keyboard is when the column is come to by a tap. */
  heading: HTMLElement
  /** The title, in the path and as the name of the tab. */
  title: string
  /** The address of its JSON. */
  target: string
  /** Only of a level: the rows as far as they were read, its head, and what shows them. */
  level?: Level
  head?: LevelHead
  list?: List
  /** Whether it is a page of a settings bundle, of which only values can be changed. */
  isSettings?: boolean
  /** Only of a detail beside a level: the place whose address shows it. */
  home?: Place
  /** Only of what is missing: why it is. */
  problem?: Error

  /** Whether this column is one that an address wants; `leaf`: whether the last one is a detail, if that is known. */
  shows(wanted: Wanted, leaf?: boolean): boolean
  /** Shows what an address wants of it. */
  adjust(wanted: Wanted): void
  /** Lays itself out, now that it is in the page. */
  shown?(): void
  /** Whether what it shows may have changed by an entry of `/changes`. */
  concernedBy(entry: Change): boolean
  refresh(): Promise<void>
  /** Draws everything again, as editing began or ended. */
  redrawAll(): void
  print?(isPrinting: boolean): void
  /** Only of a level: marks a row by its path, gives one the keyboard, and finds the one that leads to an item. */
  select?(path: string | null): void
  focusRow?(index: number): void
  indexTowards?(item: Place): Promise<number>
  end(): void
}

/** What an address wants of a column. */
export interface Wanted {
  /** A level on the way, the last column, or a detail beside it. */
  part: 'level' | 'end' | 'detail'
  place: Place
  /** The path of the row that leads to the next column. */
  selected?: string | null
  home?: Place
}

/** An entry of `/changes`. */
export interface Change {
  levels: string[]
  details: string[]
  truncated?: boolean
}

export interface Section {
  title: string | null
  index: string | null
  start: number
  count: number
  footer?: string
}

/** The heights of what a level shows, in pixels. */
export interface Heights {
  row: number
  header: number
  /** Above a section without a title, but the first. */
  gap: number
  footer(section: Section): number
  /** Whether each footer has one line, and its text as a tip. */
  isCut?: boolean
}

// What the browsers have and TypeScript 4.8 does not know.
declare global {
  interface Array<T> {
    findLast(predicate: (each: T, index: number) => unknown): T | undefined
    findLastIndex(predicate: (each: T, index: number) => unknown): number
    toSpliced(start: number, count: number, ...items: T[]): T[]
  }
  interface Element {
    hidePopover(): void
    showPopover(): void
  }
  interface ImportMeta {
    resolve(name: string): string
  }
}
