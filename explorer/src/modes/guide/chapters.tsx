/** The chapters of the guide: a few sentences each, and the figure that shows what they say. */
import type { ComponentType } from 'preact'
import { LayoutFigure, SkippingFigure } from './layout-figure.tsx'
import type { FigureProps } from './live-figure.tsx'
import { MergeFigure } from './merge-figure.tsx'
import { LogFigure, PlainFolderFigure, StackFigure } from './plain-figure.tsx'
import { HistoryFigure, ModesFigure, RestoreFigure, RewriteFigure, SchemaFigure } from './simple-figures.tsx'
import { TimeFigure } from './time-figure.tsx'
import { DropFeatureFigure, UpkeepFigure } from './upkeep-figures.tsx'
import { WorkloadsFigure } from './workloads.tsx'
import { WritersFigure } from './writers-figure.tsx'

export interface Chapter {
  readonly id: string
  readonly title: string
  readonly text: readonly string[]
  /** what to press and to look at */
  readonly try: string
  readonly Figure: ComponentType<FigureProps>
}

export const CHAPTERS: readonly Chapter[] = [
  {
    id: 'folder',
    title: 'A folder of files',
    text: [
      'A table is a rectangle of rows and columns. Here it does not live inside a program that owns it: it lives in a folder, as files that hold some of the rows each. Reading the table means opening those files and stacking their rows.',
      'Nothing in a plain folder says which files belong to the table.',
    ],
    try: 'Open a file to see its orders. Then drop a stray one in and look at the sum.',
    Figure: StackFigure,
  },
  {
    id: 'plain',
    title: 'Watch a plain folder fail',
    text: [
      'Today’s orders arrive and a writer puts them into a new file. Writing takes a while, and meanwhile the file exists and is not complete. A reader who opens every file of the folder cannot know.',
      'What is missing is atomicity: a change has happened whole or not at all for whoever looks.',
    ],
    try: 'Press the two buttons in any order. Read before, in the middle, and after.',
    Figure: PlainFolderFigure,
  },
  {
    id: 'log',
    title: 'The log is written last',
    text: [
      'A Delta table has a folder _delta_log with numbered files. Each records one commit: files that join the table and files that leave it. Readers ask the log which files count.',
      'The data file is written first, whole, while no entry names it. The moment the entry appears, the file is part of the table, and not a moment before.',
    ],
    try: 'Read after each step. The count jumps once, at the commit.',
    Figure: LogFigure,
  },
  {
    id: 'modes',
    title: 'Append and overwrite',
    text: [
      'Two modes do opposite things with rows that are there already. Append adds files and removes none. Overwrite makes the new rows the whole table: the commit removes every file that was live.',
      'Removed files leave the table, not the folder: the version before still names them.',
    ],
    try: 'Run the same rows in both modes and compare the lines of the log. Then go back one version.',
    Figure: ModesFigure,
  },
  {
    id: 'schema',
    title: 'The schema is checked',
    text: [
      'Names and types of the columns stand in the log, and every write is checked against them. Data that does not fit is refused while the mistake is still easy to see.',
      'If the new column really is wanted, say so: mergeSchema.',
    ],
    try: 'Let two appends be refused, read why, then allow the column.',
    Figure: SchemaFigure,
  },
  {
    id: 'rewrite',
    title: 'One row, a whole file',
    text: [
      'Files of this kind are not edited in place. To change one row, the file that holds it is written anew with all its rows, and the old one leaves the table. Copy-on-write: the unit is the file.',
      'With deletion vectors a delete writes a small list of rows to leave out instead, and the file stays.',
    ],
    try: 'Change a row in one, two and every file, and watch how many rows are rewritten beside it. Then turn deletion vectors on and delete.',
    Figure: RewriteFigure,
  },
  {
    id: 'partitions',
    title: 'The filter in the folder names',
    text: [
      'A partition column moves out of the files into the names of folders. A question about it rules folders out without opening a file. A question about anything else rules out none.',
      'More columns prune more questions and make more, smaller folders. Partition by what you filter on, while the folders stay big.',
    ],
    try: 'Change the layout, change the question. By country with the question about March opens everything.',
    Figure: LayoutFigure,
  },
  {
    id: 'skipping',
    title: 'Data skipping',
    text: [
      'Without any partitions, the log still holds the least and greatest value of each column in every file. A file whose range cannot hold what is asked for is never opened.',
    ],
    try: 'Ask for one order, for a range, for an amount. Each file says why it was opened or not. Then take the statistics away.',
    Figure: SkippingFigure,
  },
  {
    id: 'merge',
    title: 'Merge',
    text: [
      'A supplier’s file holds new orders, corrections and cancellations. Merge brings it in with one call: the target is the table, the source the incoming rows, ON says when both speak of the same order, and a clause says what to do in each case.',
      'Until it is executed, nothing happens: the clauses only describe.',
    ],
    try: 'Step through the clauses and see beside each row which one takes it. Then try the cases that trip people up.',
    Figure: MergeFigure,
  },
  {
    id: 'time',
    title: 'Every version is still there',
    text: [
      'Work through the log and stop at commit 3, and you have the list of files that made up the table then. Reading those is time travel. It costs nothing to keep: files were taken off the list, not deleted.',
    ],
    try: 'Drag the slider. At v1 order 1043 shows its old amount; at v2 the rows that v3 deletes are back. Or go to a time, and compare two versions.',
    Figure: TimeFigure,
  },
  {
    id: 'restore',
    title: 'Restore',
    text: [
      'Version 5 overwrote the table with the wrong rows, and version 6 appended on top. Restore does not rewind: it appends a commit whose files are those of version 4. The record of the mistake stays, and so does the record of the repair.',
    ],
    try: 'Restore, then walk back through all the versions.',
    Figure: RestoreFigure,
  },
  {
    id: 'upkeep',
    title: 'Optimize and vacuum',
    text: [
      'Small appends make many small files. OPTIMIZE writes their rows as few large ones; no row changes. VACUUM deletes files that left the table longer ago than the retention. It is the one call that destroys anything.',
      'The retention is the real limit on how far back time travel reaches.',
    ],
    try: 'Optimize, let a week pass, look at the dry run, then vacuum and see which versions are crossed out.',
    Figure: UpkeepFigure,
  },
  {
    id: 'history',
    title: 'The log as a report',
    text: [
      'Every commit records what kind of operation made it, what it was asked for and how much it touched. Nobody had to switch that on.',
    ],
    try: 'Who changed this table, when, with what? Add a commit with a note of your own.',
    Figure: HistoryFigure,
  },
  {
    id: 'writers',
    title: 'Two writers at once',
    text: [
      'Nobody reserves the table. Each writer reads a version, does its work and tries to commit; the check happens there. If somebody else committed meanwhile and the changes overlap, the commit is refused.',
    ],
    try: 'Advance either lane in any order. Let both read the same version, then commit one after the other.',
    Figure: WritersFigure,
  },
  {
    id: 'features',
    title: 'Taking a feature out again',
    text: [
      'A feature such as deletion vectors is written into the protocol, and programs that do not know it refuse the table. DROP FEATURE takes it out: rows are written so that the feature is not needed, and checkpoints keep older readers from reading what they could not understand.',
    ],
    try: 'Look at the protocol before and after, the empty commits, and who can open the table at each.',
    Figure: DropFeatureFigure,
  },
  {
    id: 'fit',
    title: 'What this is not for',
    text: [
      'Delta tables suit work that reads a great many rows at a time and writes in batches. They do not suit an application that touches one row and waits for the answer.',
      'Deleting for privacy is more than a delete: rows stay in older versions until vacuum passes them.',
    ],
    try: 'Four workloads against what each needs.',
    Figure: WorkloadsFigure,
  },
]
