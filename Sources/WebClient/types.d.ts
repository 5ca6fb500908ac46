// The types that the modules share. The service does not serve this file.

import type {Level} from './level.js'
import type {LevelHead} from './level-head.js'
import type {List} from './list.js'
import type {Place} from './place.js'

/** A column of the page. */
export interface Pane {
  place: Place
  element: HTMLElement
  /** The heading of the column. It gets the focus when a tap has opened the column. */
  heading: HTMLElement
  /** The title of the column, which the path and the browser's tab also show. */
  title: string
  /** The link of the JSON that the column shows. */
  target: string
  /** Only in the column of a level: the level as far as it was read, the head of the column, and the list of rows. */
  level?: Level
  head?: LevelHead
  list?: List
  /** Whether the column shows a page of a settings bundle, in which only values can be changed. */
  isSettings?: boolean
  /** Only in the column of a level: the marks of rows, by the paths of their items. */
  marked?: Map<string, any>
  /** Whether the content was read. Before, the column has a title only. */
  isRead: boolean
  /** Resolves when the content is shown, or the column was closed. */
  opened?: Promise<any>
  /** Whether the address names something else, which is being read. The column closes when it has been read. */
  isLeaving?: boolean
  /** Only in the column of a detail beside a level: the place whose address shows the detail. */
  home?: Place
  /** Only in the column for a place that cannot be shown: the reason. */
  problem?: Error

  /** Only in the column of a detail: the detail, when it was read. */
  detail?: any
  /** Whether this column can be the wanted one. */
  shows(wanted: Wanted): boolean
  /** Changes this column to the state that an address needs. */
  adjust(wanted: Wanted): void
  /** Reads the content. */
  open?(): Promise<any>
  /** Lays out the content that was read. */
  shown?(): void
  /** Whether an entry of `/changes` may concern the content of the column. */
  concernedBy(entry: Change): boolean
  refresh(): Promise<void>
  /** Draws everything again, for example after editing has begun or ended. */
  redrawAll(): void
  print?(isPrinting: boolean): void
  /** Only in the column of a level: selects a row by path, focuses a row, or finds the row that leads to an item. */
  select?(path: string | null): void
  focusRow?(index: number): void
  indexTowards?(item: Place): Promise<number>
  end(): void
}

/** A column that an address needs. */
export interface Wanted {
  /** 'level': a level on the path. 'end': the last level, if the item has one. 'detail': a detail. */
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
  /** Only of a list that refers to a record: its link, and how many rows it has. */
  href?: string
  total?: number
}

/** The heights of the parts of a level, in pixels. */
export interface Heights {
  row: number
  header: number
  /** The gap above each section without a title, except the first section. */
  gap: number
  footer(section: Section): number
  /** Whether each footer has only one line, and a tooltip with the whole text. */
  isCut?: boolean
}

// Functions that browsers have, and that TypeScript 4.8 does not know.
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
