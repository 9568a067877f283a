/** The port between the inventory's workflow and the outside. */
export interface InventoryActivities {
  /**
   * Lists every credential's instances once, compares them with what is on record, and wakes the machines that differ. Starts
   * the workflows again that have ended before their objects.
   */
  takeInventory(request: { readonly clusterUid: string }): Promise<InventoryReport>;
}

export interface InventoryReport {
  readonly machines: number;
  readonly instances: number;
  /** Machines that were woken because the cloud shows something else than is on record. */
  readonly woken: number;
  /** Workflows that had ended while their Machine or MachineSet is there, and were started again. */
  readonly startedAgain: number;
  /** What kept a listing from being used. */
  readonly problems: readonly string[];
  /** Seconds until the next one. */
  readonly intervalSeconds: number;
}
