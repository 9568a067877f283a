import type { Api } from '../../../../../k8s/dialects/kind.ts';
import { server } from './server.ts';

/** An API that has Machines, and neither sets of them nor classes nor Clusters. */
export const rooms = { machine: server } satisfies Api;
