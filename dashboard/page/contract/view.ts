/** What a view of the page is. */
import type { TemplateResult } from 'lit';
import type { LiveStore } from '../live/store.ts';

/** What all views have. */
export interface ViewContext {
  readonly live: LiveStore;
}

export interface View {
  /** The first part of its hash. */
  readonly path: string;
  readonly title: string;
  /** Whether the menu of the page has it. Others are reached from within. */
  readonly isInMenu: boolean;
  /** `rest`: the other parts of the hash. Called anew with each change of the hash. */
  readonly render: (context: ViewContext, rest: readonly string[]) => TemplateResult;
}
