// Cookies and storage that are not this app's.
{
  const { attack, held, run, through, unclear } = hostile;

  hostile.group("storage", "Cookies and storage");

  /** @returns {string[]} */
  function cookies() {
    return document.cookie.split("; ").filter((text) => text && !text.startsWith("hostile-"));
  }

  attack("cookies", "Read cookies that somebody else set", () => {
    try {
      const found = cookies();
      hostile.readable.push(document.cookie);
      return found.length ? through(`read: ${found.join("; ").slice(0, 80)}`) : held("there are none to read");
    } catch (error) {
      return held(hostile.nameOf(error));
    }
  });

  attack("parent-cookie", "Set a cookie for a name above the own one", () => {
    const labels = location.hostname.split(".");
    const accepted = [];
    try {
      for (let start = 1; start < labels.length; start += 1) {
        const domain = labels.slice(start).join(".");
        const mark = `hostile-${run}-${start}`;
        // The second is what browsers take from a frame in a page of another site.
        for (const flags of ["", "; SameSite=None; Secure"]) {
          document.cookie = `${mark}=1; domain=${domain}; path=/; max-age=60${flags}`;
        }
        if (document.cookie.includes(mark)) accepted.push(domain);
      }
    } catch (error) {
      return held(hostile.nameOf(error));
    }
    if (!labels[1]) return unclear("this document's host name has no name above it");
    return accepted.length ? through(`set for ${accepted.join(", ")}`) : held("no name above takes one");
  });

  attack("storage-access", "Ask for the storage of the site as a first party", async () => {
    try {
      await /** @type {any} */ (document).requestStorageAccess({ all: true });
      return document.cookie.includes("host") ? through("the site's cookies are readable") : held("granted, and empty");
    } catch (error) {
      return held(hostile.nameOf(error));
    }
  });
}
