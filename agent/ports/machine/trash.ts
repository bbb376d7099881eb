/** Takes trees away that pods may have written, and may still be writing. */
export interface Trash {
  /**
   * Takes a folder away with all that is in it. The path is free before the call returns its promise, unless the folder cannot be moved
   * into the trash: then the promise waits for the removal, and rejects if something is left. A folder that is not there is no error. What
   * was moved is deleted later, and tried again until it is gone. Its parent is a folder that no pod can write.
   */
  discard(path: string): Promise<void>;
  /** Whether something is left on the disk of a discarded folder that had this name. */
  holds(name: string): boolean;
  /** Ends the deletions of this agent; what is left is deleted by the next one. */
  close(): void;
}
