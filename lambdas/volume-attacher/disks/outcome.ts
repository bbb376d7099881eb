/** How one step on the way of a disk went. `wait`: it is on its way, and is looked at again soon; `fail`: somebody may have to act. */
export type Outcome =
  | { readonly result: 'attached'; readonly device: string }
  | { readonly result: 'detached' }
  | { readonly result: 'wait' | 'fail'; readonly why: string };

export const wait = (why: string): Outcome => ({ result: 'wait', why });
export const fail = (why: string): Outcome => ({ result: 'fail', why });
