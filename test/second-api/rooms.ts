import type { Api } from '../../k8s/dialects/kind.ts';
import { ApiRegistry, APIS } from '../../k8s/dialects/registry.ts';
import { server } from './server.ts';

/** An API that has Machines, and neither sets of them nor classes nor Clusters. */
const rooms = { machine: server } satisfies Api;

/** The registry, where it knew its name. */
export const WITH_ROOMS = new ApiRegistry([...APIS.apis, rooms]);
