/** What every app and every server of the tests has as VITRINE_ADMIN_KEY. */
export const adminKey = 'test-administrator-key';
