/** In the instance's notes of which projects have work. */
export const webhookWork = 'webhooks';
