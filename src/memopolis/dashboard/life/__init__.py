"""The tab of one citizen: profile, memories, thoughts, decisions and interview."""
