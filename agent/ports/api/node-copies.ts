/** Where the machine keeps a copy of its Node. It outlives the agent and the machine's restart. */
export interface NodeCopies {
  /** `undefined` if there is none. */
  load(): Promise<string | undefined>;
  /** Replaces the copy. */
  store(text: string): Promise<void>;
}
