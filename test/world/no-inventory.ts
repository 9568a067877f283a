import type { InventoryDeps } from '../../activities/inventory.ts';

/** What inventories ask for beside the rest, where none of them wakes or starts anything. */
export const NO_INVENTORY: Pick<InventoryDeps, 'inventoryIntervalSeconds' | 'inspect' | 'recount' | 'workflows'> = {
  inventoryIntervalSeconds: 300,
  inspect: async () => {},
  recount: async () => {},
  workflows: {
    listRunning: async () => new Set(),
    lookAt: async () => ({ state: 'running' }),
    start: async () => {},
  },
};
