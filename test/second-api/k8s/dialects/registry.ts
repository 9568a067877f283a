import { ApiRegistry, APIS } from '../../../../k8s/dialects/registry.ts';
import { rooms } from './rooms/api.ts';

/** The registry, where it knew their name. */
export const WITH_ROOMS = new ApiRegistry([...APIS.apis, rooms]);
